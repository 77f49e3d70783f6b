-- What a session came from, where its template lay, and every later measurement of its configurations.
ALTER TABLE sessions ADD COLUMN origin TEXT NOT NULL DEFAULT '';    -- in words; empty for a search
ALTER TABLE sessions ADD COLUMN manifest TEXT NOT NULL DEFAULT '';  -- the template's file when it was tuned; a hint

-- Append-only: a trial says how a configuration stands, its checks how it came there.
CREATE TABLE checks (
  trial_id INTEGER NOT NULL REFERENCES trials (id) ON DELETE CASCADE,
  checked_at TEXT NOT NULL,
  outcome TEXT NOT NULL,
  objective REAL,                -- as measured by the check; NULL unless correct
  relative_error REAL,
  recorded_objective REAL,       -- what it was compared with
  differs TEXT NOT NULL,         -- parts of the key that were not the session's, in words; empty if none
  message TEXT NOT NULL,
  PRIMARY KEY (trial_id, checked_at)
) WITHOUT ROWID;

CREATE VIEW check_list AS
SELECT t.session_id AS session, k.name AS kernel, d.name AS device, s.problem_size, t.configuration, c.checked_at,
       c.outcome, c.objective, c.recorded_objective, c.objective / c.recorded_objective AS drift, c.relative_error,
       c.differs, c.message, c.trial_id AS trial
  FROM checks c JOIN trials t ON t.id = c.trial_id JOIN sessions s ON s.id = t.session_id
  JOIN kernels k ON k.id = s.kernel_id JOIN devices d ON d.id = s.device_id;

DROP VIEW session_list;
CREATE VIEW session_list AS
SELECT s.id AS session, k.name AS kernel, d.backend, d.name AS device, d.uuid, d.architecture, d.driver, s.compiler,
       s.options, s.problem_size, s.policy, s.strategy, s.seed, s.objective, s.space_size, s.state, s.started_at,
       s.updated_at, s.tool_version, k.source_hash, k.manifest_hash, o.file AS merged_from,
       (SELECT coalesce(sum(trials), 0) FROM outcome_counts WHERE session_id = s.id) AS trials,
       (SELECT coalesce(sum(trials), 0) FROM outcome_counts WHERE session_id = s.id AND outcome = 'correct')
         AS correct_trials,
       s.origin, s.manifest
  FROM sessions s JOIN kernels k ON k.id = s.kernel_id JOIN devices d ON d.id = s.device_id
  JOIN stores o ON o.id = s.store_id;
