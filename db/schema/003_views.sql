-- For people with a SQL shell. The columns of these views stay; the tables behind them may change.
CREATE VIEW session_list AS
SELECT s.id AS session, k.name AS kernel, d.backend, d.name AS device, d.uuid, d.architecture, d.driver, s.compiler,
       s.options, s.problem_size, s.policy, s.strategy, s.seed, s.objective, s.space_size, s.state, s.started_at,
       s.updated_at, s.tool_version, k.source_hash, k.manifest_hash, o.file AS merged_from,
       (SELECT coalesce(sum(trials), 0) FROM outcome_counts WHERE session_id = s.id) AS trials,
       (SELECT coalesce(sum(trials), 0) FROM outcome_counts WHERE session_id = s.id AND outcome = 'correct')
         AS correct_trials
  FROM sessions s JOIN kernels k ON k.id = s.kernel_id JOIN devices d ON d.id = s.device_id
  JOIN stores o ON o.id = s.store_id;

CREATE VIEW trial_list AS
SELECT t.id AS trial, t.session_id AS session, k.name AS kernel, d.name AS device, s.problem_size, t.configuration,
       t.outcome, t.objective, t.median_ms, t.relative_error, t.cut_short, length(t.samples_ms) / 8 AS samples,
       t.objectives, t.metrics, t.compile_ms, t.verify_ms, t.measure_ms, t.framework_ms, t.registers_per_thread,
       t.local_bytes_per_thread, t.static_shared_bytes, t.dynamic_shared_bytes, t.threads_per_block, t.occupancy,
       t.message, t.recorded_at, o.file AS merged_from
  FROM trials t JOIN sessions s ON s.id = t.session_id JOIN kernels k ON k.id = s.kernel_id
  JOIN devices d ON d.id = s.device_id JOIN stores o ON o.id = t.store_id;

CREATE VIEW winner_list AS
SELECT w.session_id AS session, k.name AS kernel, d.name AS device, d.driver, s.problem_size, s.objective AS objective_name,
       t.configuration, w.objective, w.relative_error, w.default_objective, w.default_objective / w.objective AS speedup,
       t.median_ms, t.metrics, w.trial_id AS trial, w.decided_at,
       (SELECT count(*) FROM winner_ties WHERE session_id = w.session_id) AS ties
  FROM winners w JOIN trials t ON t.id = w.trial_id JOIN sessions s ON s.id = w.session_id
  JOIN kernels k ON k.id = s.kernel_id JOIN devices d ON d.id = s.device_id;

CREATE VIEW failure_list AS
SELECT c.session_id AS session, k.name AS kernel, d.name AS device, c.outcome, c.trials,
       (SELECT message FROM trials WHERE session_id = c.session_id AND outcome = c.outcome LIMIT 1) AS example
  FROM outcome_counts c JOIN sessions s ON s.id = c.session_id JOIN kernels k ON k.id = s.kernel_id
  JOIN devices d ON d.id = s.device_id
 WHERE c.outcome <> 'correct' AND c.trials > 0;
