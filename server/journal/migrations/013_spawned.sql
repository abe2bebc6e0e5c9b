-- Tasks that tasks handed in while their run went on: the addition of each, in the order in which they became part of it.
-- A task adds to its run once, whatever its later attempts hand in.
CREATE TABLE engine.spawned (
  run         uuid NOT NULL REFERENCES engine.run ON DELETE CASCADE,
  task        integer NOT NULL,
  ordinal     integer NOT NULL,
  -- The number of the first task that was added.
  first       integer NOT NULL,
  application jsonb NOT NULL,
  recorded_at timestamptz NOT NULL,
  PRIMARY KEY (run, task)
);
