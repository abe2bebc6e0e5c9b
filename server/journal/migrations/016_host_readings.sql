-- How the host of an agent did when it last told, and how many attempts the agent holds: for the pages that show which
-- hosts a requirement lets in. The engine keeps its own, fresher.
ALTER TABLE engine.agent ADD COLUMN readings jsonb, ADD COLUMN held integer;
