-- Agents that are started through a cluster's driver: whose work they do, the job that carries them, and how long
-- their token counts.
ALTER TABLE engine.agent
  -- Whose tasks only; null: everyone's who may use the cluster.
  ADD COLUMN owner text,
  -- The cluster's own name for the job, and its state as last seen (JobState of server/clusters/driver.ts).
  ADD COLUMN job text,
  ADD COLUMN job_state text,
  -- Whose account the job was given to the cluster with: a person's id, or null for the service account.
  ADD COLUMN account text,
  ADD COLUMN asked_at timestamptz,
  ADD COLUMN ended_at timestamptz,
  ADD COLUMN end_reason text,
  ADD COLUMN expires_at timestamptz,
  -- Early binding: `RUN.TASK.ORDINAL`, the one attempt this agent is for.
  ADD COLUMN attempt text,
  -- The end of what the job printed.
  ADD COLUMN log text;
CREATE INDEX agent_open_by_cluster ON engine.agent (cluster) WHERE asked_at IS NOT NULL AND ended_at IS NULL;

-- What the engine could use, written about once a second when it changed: one row.
CREATE TABLE engine.demand (
  one    boolean PRIMARY KEY DEFAULT true CHECK (one),
  epoch  bigint NOT NULL,
  at     timestamptz NOT NULL,
  groups jsonb NOT NULL
);

-- Early binding: the engine wants an agent for one attempt. The id is the agent's, so that however often the request
-- is read, one agent comes of it.
CREATE TABLE engine.agent_request (
  id         uuid PRIMARY KEY,
  run        uuid NOT NULL REFERENCES engine.run ON DELETE CASCADE,
  task       integer NOT NULL,
  ordinal    integer NOT NULL,
  cluster    text NOT NULL,
  owner      text NOT NULL,
  asks       jsonb NOT NULL,
  asked_at   timestamptz NOT NULL,
  -- Over: no agent is wanted any more, or none will come.
  closed_at  timestamptz,
  problem    text
);
CREATE INDEX agent_request_open ON engine.agent_request (cluster, asked_at) WHERE closed_at IS NULL;
CREATE INDEX agent_request_by_run ON engine.agent_request (run);
