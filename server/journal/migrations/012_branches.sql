-- Exit codes other than 0 that counted as an answer: an engine that starts asks for them, and almost no success has one.
CREATE INDEX outcome_answered ON engine.outcome (run, task, ordinal) INCLUDE (exit_code)
  WHERE outcome = 'succeeded' AND exit_code <> 0;
