-- What stays fast with ten thousand runs, and with a million tasks in one of them.

-- Pages of a person's runs, newest first, all of them or those in one state. The index without the id could not tell
-- two runs of one moment apart. The name is in it so that looking for part of one reads this and not the wide rows, and
-- the number of tasks is what the directory wants to know besides.
CREATE INDEX run_page ON engine.run (owner, created_at DESC, id DESC) INCLUDE (name, task_count);
CREATE INDEX run_page_by_state ON engine.run (owner, state, created_at DESC, id DESC) INCLUDE (name);
DROP INDEX engine.run_by_owner;
-- Everybody's, for admins.
CREATE INDEX run_page_of_all ON engine.run (created_at DESC, id DESC) INCLUDE (name, owner, task_count);

-- What an engine that starts asks of each active run: almost all outcomes are successes, almost no event is a retry.
CREATE INDEX outcome_not_succeeded ON engine.outcome (run, task) INCLUDE (outcome, reason, recorded_at) WHERE outcome <> 'succeeded';
CREATE INDEX event_run_retried ON engine.event (run, at) WHERE code = 'run-retried';

-- What an agent has or had, newest last: which files it may read, and what a machine works on. An agent's attempts come in
-- the order of time, so a new one goes to the end of its stretch.
CREATE INDEX attempt_by_agent ON engine.attempt (agent, sent_at);

CREATE INDEX command_by_run ON engine.command (run) WHERE done_at IS NULL;
