-- The engine's own schema: plain SQL, written by the journal in batches, read by the API.
-- Attempts and outcomes are append-only; task states are packed bytes, one per task, in chunks of 4096 tasks.
CREATE SCHEMA engine;

-- One engine at a time decides. The epoch rises with each new holder and is checked in every commit.
-- `batch` is the number of the holder's last committed batch: a commit whose answer was lost can be told from
-- one that never happened.
CREATE TABLE engine.lease (
  name       text PRIMARY KEY,
  holder     text NOT NULL,
  epoch      bigint NOT NULL,
  batch      bigint NOT NULL DEFAULT 0,
  expires_at timestamptz NOT NULL
);

-- First statement of every batch. It raises, so that the statements sent behind it in the same transaction
-- cannot take effect: GL001 when another engine holds the lease, GL002 when this batch is committed already.
CREATE FUNCTION engine.enter_batch(lease_name text, my_epoch bigint, my_batch bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE engine.lease SET batch = my_batch WHERE name = lease_name AND epoch = my_epoch AND batch < my_batch;
  IF FOUND THEN
    RETURN;
  END IF;
  PERFORM 1 FROM engine.lease WHERE name = lease_name AND epoch = my_epoch;
  IF FOUND THEN
    RAISE EXCEPTION 'batch % is committed already', my_batch USING ERRCODE = 'GL002';
  END IF;
  RAISE EXCEPTION 'another engine took over; epoch % is over', my_epoch USING ERRCODE = 'GL001';
END $$;

-- The same question for messages that follow from no record: is this engine still the one that decides?
CREATE FUNCTION engine.check_epoch(lease_name text, my_epoch bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM engine.lease WHERE name = lease_name AND epoch = my_epoch;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'another engine took over; epoch % is over', my_epoch USING ERRCODE = 'GL001';
  END IF;
END $$;

CREATE TABLE engine.run (
  id           uuid PRIMARY KEY,
  -- An account's id, or `cli:NAME` for runs started by the command line on this machine.
  owner        text NOT NULL,
  owner_admin  boolean NOT NULL,
  workflow     text,
  name         text NOT NULL,
  format       text NOT NULL,
  source       text NOT NULL,
  application  jsonb NOT NULL,
  settings     jsonb NOT NULL,
  task_count   integer NOT NULL,
  edge_count   integer NOT NULL,
  state        text NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'running', 'succeeded', 'failed', 'killed')),
  -- Number of tasks in each state, in the order of core/engine/task-state.ts.
  counts       integer[] NOT NULL,
  -- Rises with every commit that touches the run; readers ask for what is newer than the last they saw.
  seq          bigint NOT NULL DEFAULT 0,
  created_at   timestamptz NOT NULL DEFAULT now(),
  started_at   timestamptz,
  ended_at     timestamptz
);
CREATE INDEX run_by_owner ON engine.run (owner, created_at DESC);
CREATE INDEX run_active ON engine.run (created_at) WHERE state IN ('queued', 'running');

-- Files the submitter provides, by their name in the task's directory.
CREATE TABLE engine.run_input (
  run    uuid NOT NULL REFERENCES engine.run ON DELETE CASCADE,
  name   text NOT NULL,
  sha256 bytea NOT NULL,
  size   bigint NOT NULL,
  PRIMARY KEY (run, name)
);

CREATE TABLE engine.task_chunk (
  run    uuid NOT NULL REFERENCES engine.run ON DELETE CASCADE,
  chunk  integer NOT NULL,
  seq    bigint NOT NULL,
  states bytea NOT NULL,
  PRIMARY KEY (run, chunk)
);

CREATE TABLE engine.attempt (
  run     uuid NOT NULL REFERENCES engine.run ON DELETE CASCADE,
  task    integer NOT NULL,
  ordinal integer NOT NULL,
  epoch   bigint NOT NULL,
  agent   uuid NOT NULL,
  cluster text NOT NULL,
  host    text NOT NULL,
  sent_at timestamptz NOT NULL,
  PRIMARY KEY (run, task, ordinal)
);

CREATE TABLE engine.attempt_start (
  run        uuid NOT NULL,
  task       integer NOT NULL,
  ordinal    integer NOT NULL,
  started_at timestamptz NOT NULL,
  PRIMARY KEY (run, task, ordinal),
  FOREIGN KEY (run, task, ordinal) REFERENCES engine.attempt ON DELETE CASCADE
);

CREATE TABLE engine.outcome (
  run         uuid NOT NULL,
  task        integer NOT NULL,
  ordinal     integer NOT NULL,
  outcome     text NOT NULL CHECK (outcome IN ('succeeded', 'failed', 'lost', 'inputs-missing', 'cancelled')),
  reason      text,
  exit_code   integer,
  signal      text,
  detail      text,
  usage       jsonb NOT NULL,
  recorded_at timestamptz NOT NULL,
  PRIMARY KEY (run, task, ordinal),
  FOREIGN KEY (run, task, ordinal) REFERENCES engine.attempt ON DELETE CASCADE
);

-- The files of succeeded attempts. Transient ones stay with the agent that made them.
CREATE TABLE engine.output (
  run       uuid NOT NULL REFERENCES engine.run ON DELETE CASCADE,
  name      text NOT NULL,
  task      integer NOT NULL,
  ordinal   integer NOT NULL,
  sha256    bytea NOT NULL,
  size      bigint NOT NULL,
  transient boolean NOT NULL,
  PRIMARY KEY (run, name)
);

CREATE TABLE engine.event (
  id   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run  uuid NOT NULL REFERENCES engine.run ON DELETE CASCADE,
  task integer,
  code text NOT NULL,
  args jsonb NOT NULL,
  at   timestamptz NOT NULL
);
CREATE INDEX event_by_run ON engine.event (run, id);

-- What people ask of the engine. A row is the request; NOTIFY only wakes.
CREATE TABLE engine.command (
  id           uuid PRIMARY KEY,
  run          uuid NOT NULL REFERENCES engine.run ON DELETE CASCADE,
  kind         text NOT NULL CHECK (kind IN ('kill', 'retry-failed')),
  requested_by text NOT NULL,
  requested_at timestamptz NOT NULL DEFAULT now(),
  done_at      timestamptz
);
CREATE INDEX command_open ON engine.command (requested_at) WHERE done_at IS NULL;

CREATE TABLE engine.agent (
  id           uuid PRIMARY KEY,
  cluster      text NOT NULL,
  token_hash   bytea NOT NULL,
  host         jsonb,
  slots        integer,
  state        text NOT NULL DEFAULT 'expected' CHECK (state IN ('expected', 'joined', 'left', 'refused')),
  created_at   timestamptz NOT NULL DEFAULT now(),
  last_seen_at timestamptz,
  revoked_at   timestamptz
);
CREATE INDEX agent_by_token ON engine.agent (token_hash);
