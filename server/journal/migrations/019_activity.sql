-- For the grid page: what ended in the last hour. Outcomes are written in the order of time, so a few bytes for each stretch of pages
-- find it.
CREATE INDEX outcome_by_time ON engine.outcome USING brin (recorded_at) WITH (pages_per_range = 16, autosummarize = on);
