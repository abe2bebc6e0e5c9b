-- Why there is an attempt, how its host ranked, and when it counts as lost; several attempts at a task may be open.
ALTER TABLE engine.attempt
  ADD COLUMN because text NOT NULL DEFAULT 'first' CHECK (because IN ('first', 'again', 'replica', 'deadline')),
  ADD COLUMN rank double precision,
  ADD COLUMN deadline_at timestamptz;

-- A change of a run's policies comes with the new ones.
ALTER TABLE engine.command ADD COLUMN body jsonb;
ALTER TABLE engine.command DROP CONSTRAINT command_kind_check;
ALTER TABLE engine.command ADD CONSTRAINT command_kind_check CHECK (kind IN ('kill', 'retry-failed', 'change-policies'));
