-- What people call a session and say of it. Neither is a part of its key. `labelled_at` is when either was last changed,
-- so that a merge knows whose is the later; empty until then.
ALTER TABLE sessions ADD COLUMN name TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN note TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN labelled_at TEXT NOT NULL DEFAULT '';
CREATE INDEX sessions_by_name ON sessions (name) WHERE name <> '';

DROP VIEW session_list;
-- `uuid` is one of the devices that the session's trials ran on.
CREATE VIEW session_list AS
SELECT s.id AS session, k.name AS kernel, d.backend, d.name AS device,
       (SELECT min(uuid) FROM session_devices WHERE session_id = s.id) AS uuid, d.architecture, d.driver, s.compiler,
       s.options, s.problem_size, s.policy, s.strategy, s.seed, s.objective, s.space_size, s.state, s.started_at,
       s.updated_at, s.tool_version, k.source_hash, k.manifest_hash, o.file AS merged_from,
       (SELECT coalesce(sum(trials), 0) FROM outcome_counts WHERE session_id = s.id) AS trials,
       (SELECT coalesce(sum(trials), 0) FROM outcome_counts WHERE session_id = s.id AND outcome = 'correct')
         AS correct_trials,
       s.origin, s.manifest, d.memory_gib, d.multiprocessors, s.capture, s.restrictions,
       (SELECT count(*) FROM session_devices WHERE session_id = s.id) AS devices, s.name, s.note
  FROM sessions s JOIN kernels k ON k.id = s.kernel_id JOIN devices d ON d.id = s.device_id
  JOIN stores o ON o.id = s.store_id;
