-- Results that a later run may take instead of computing them again, by what they were made from.
CREATE TABLE engine.reusable (
  owner       text NOT NULL,
  -- SHA-256 of everything the result depends on (server/engine/reuse-key.ts).
  key         bytea NOT NULL,
  -- To say what changed when a task of the same name runs again: the same, part by part.
  task_name   text NOT NULL,
  parts       jsonb NOT NULL,
  outputs     jsonb NOT NULL,
  run         uuid NOT NULL REFERENCES engine.run ON DELETE CASCADE,
  task        integer NOT NULL,
  ordinal     integer NOT NULL,
  recorded_at timestamptz NOT NULL,
  PRIMARY KEY (owner, key)
);
CREATE INDEX reusable_by_name ON engine.reusable (owner, task_name, recorded_at DESC);
CREATE INDEX reusable_by_run ON engine.reusable (run);
