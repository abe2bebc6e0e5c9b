-- Tasks that move while they run: the restart files they go on from, why an attempt was told to leave its host, what a running
-- task asks for otherwise than its description, and how long its iterations took.

-- The last complete set of a task that has not succeeded.
CREATE TABLE engine.checkpoint (
  run         uuid NOT NULL REFERENCES engine.run ON DELETE CASCADE,
  task        integer NOT NULL,
  ordinal     integer NOT NULL,
  -- [{name, sha256, size}]
  files       jsonb NOT NULL,
  recorded_at timestamptz NOT NULL,
  PRIMARY KEY (run, task)
);
-- Which set has a file, when an older one is dropped.
CREATE INDEX checkpoint_files ON engine.checkpoint USING gin (files jsonb_path_ops);

CREATE TABLE engine.attempt_move (
  run      uuid NOT NULL,
  task     integer NOT NULL,
  ordinal  integer NOT NULL,
  reason   text NOT NULL,
  begun_at timestamptz NOT NULL,
  PRIMARY KEY (run, task, ordinal),
  FOREIGN KEY (run, task, ordinal) REFERENCES engine.attempt ON DELETE CASCADE
);

CREATE TABLE engine.task_change (
  run         uuid NOT NULL REFERENCES engine.run ON DELETE CASCADE,
  task        integer NOT NULL,
  requirement text,
  rank        text,
  held        boolean NOT NULL,
  changed_at  timestamptz NOT NULL,
  PRIMARY KEY (run, task)
);

-- The last iterations of an attempt; older ones make room.
CREATE TABLE engine.profile_sample (
  run     uuid NOT NULL,
  task    integer NOT NULL,
  ordinal integer NOT NULL,
  n       integer NOT NULL,
  seconds double precision NOT NULL,
  at      timestamptz NOT NULL,
  PRIMARY KEY (run, task, ordinal, n),
  FOREIGN KEY (run, task, ordinal) REFERENCES engine.attempt ON DELETE CASCADE
);

-- The words an attempt or a command may have are the engine's to know (core/engine): further ones need no change here.
ALTER TABLE engine.attempt DROP CONSTRAINT attempt_because_check;
ALTER TABLE engine.command DROP CONSTRAINT IF EXISTS command_kind_check;
