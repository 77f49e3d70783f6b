-- Complete keys: a capture and restrictions are fields of their own, and a device is its model, whichever of them it was.
-- Settled times: what the finals measured of a candidate is kept with its time, and a winner with its time and the default's.
--
-- Tables are rebuilt, since a constraint cannot be changed: foreign keys rest while migrations run (db/open.cpp). Sessions whose
-- keys are equal now, as those of two equal GPUs, become one: the first. Of two trials of a configuration the later stays, of two
-- winners the later decided, of checks all, as in a merge.
DROP VIEW session_list;
DROP VIEW trial_list;
DROP VIEW winner_list;
DROP VIEW failure_list;
DROP VIEW finalist_list;
DROP VIEW check_list;
DROP TRIGGER trial_added;
DROP TRIGGER trial_replaced;
DROP TRIGGER trial_removed;

-- The devices of a model by their UUIDs belong to trials. What certainly ran, ran on the session's only device.
UPDATE trials SET device_uuid = (SELECT d.uuid FROM sessions s JOIN devices d ON d.id = s.device_id WHERE s.id = session_id)
 WHERE device_uuid = '' AND outcome IN ('correct', 'wrong_result', 'launch_error');

CREATE TABLE new_devices (
  id INTEGER PRIMARY KEY,
  backend TEXT NOT NULL,
  name TEXT NOT NULL,
  architecture TEXT NOT NULL,
  driver TEXT NOT NULL,
  memory_gib INTEGER NOT NULL,      -- rounded, since drivers take a little for themselves; 0 if unknown
  multiprocessors INTEGER NOT NULL, -- 0 if unknown
  limits TEXT NOT NULL,             -- JSON object
  UNIQUE (backend, name, architecture, driver, memory_gib, multiprocessors)  -- the model
);
CREATE TEMP TABLE old_devices AS
SELECT id, backend, name, architecture, driver, limits,
       CAST(round(coalesce(json_extract(limits, '$.total_memory_bytes'), 0) / 1073741824.0) AS INTEGER) AS memory_gib,
       CAST(coalesce(json_extract(limits, '$.multiprocessors'), 0) AS INTEGER) AS multiprocessors
  FROM devices;
INSERT INTO new_devices (backend, name, architecture, driver, memory_gib, multiprocessors, limits)
SELECT backend, name, architecture, driver, memory_gib, multiprocessors, limits FROM old_devices WHERE true ORDER BY id
    ON CONFLICT DO UPDATE SET limits = excluded.limits;
CREATE TEMP TABLE models AS
SELECT o.id AS device, n.id AS model FROM old_devices o JOIN new_devices n
    ON (n.backend, n.name, n.architecture, n.driver, n.memory_gib, n.multiprocessors)
     = (o.backend, o.name, o.architecture, o.driver, o.memory_gib, o.multiprocessors);

-- "verify=always … capture=5ce1 restrict=A ; B" were one text.
CREATE TEMP TABLE policies AS
SELECT id, iif(instr(policy, ' restrict=') > 0, substr(policy, 1, instr(policy, ' restrict=') - 1), policy) AS policy,
       iif(instr(policy, ' restrict=') > 0,
           '[' || replace(json_quote(substr(policy, instr(policy, ' restrict=') + 10)), ' ; ', '","') || ']', '[]')
         AS restrictions
  FROM sessions;
CREATE TEMP TABLE keys AS
SELECT s.id, s.kernel_id, m.model, s.problem_size, s.compiler, s.options, p.restrictions,
       iif(instr(p.policy, ' capture=') > 0, substr(p.policy, instr(p.policy, ' capture=') + 9), '') AS capture,
       iif(instr(p.policy, ' capture=') > 0, substr(p.policy, 1, instr(p.policy, ' capture=') - 1), p.policy) AS policy
  FROM sessions s JOIN policies p ON p.id = s.id JOIN models m ON m.device = s.device_id;
CREATE TEMP TABLE moves AS  -- every session, and the one that it becomes
SELECT id AS session, first_value(id) OVER (PARTITION BY kernel_id, model, problem_size, compiler, options, policy, capture,
                                            restrictions ORDER BY id) AS becomes
  FROM keys;
CREATE UNIQUE INDEX temp.moves_by_session ON moves (session);
CREATE INDEX temp.moves_by_result ON moves (becomes);
CREATE TEMP TABLE joined AS SELECT becomes FROM moves GROUP BY becomes HAVING count(*) > 1;

CREATE TEMP TABLE used AS  -- a session's device, unless nothing was tried on it
SELECT DISTINCT m.becomes AS session, d.uuid FROM moves m JOIN sessions s ON s.id = m.session JOIN devices d ON d.id = s.device_id
 WHERE d.uuid <> '' AND EXISTS (SELECT 1 FROM trials WHERE session_id = s.id);

CREATE TABLE new_sessions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kernel_id INTEGER NOT NULL REFERENCES kernels (id),
  device_id INTEGER NOT NULL REFERENCES devices (id),
  problem_size TEXT NOT NULL,    -- JSON object, sorted by name
  compiler TEXT NOT NULL,
  options TEXT NOT NULL,
  policy TEXT NOT NULL,          -- how it is verified and measured
  capture TEXT NOT NULL,         -- hash of the recorded call's data; empty: the template's own
  restrictions TEXT NOT NULL,    -- JSON array of further constraints, sorted
  strategy TEXT NOT NULL,
  seed TEXT NOT NULL,            -- decimal: an unsigned 64-bit number does not fit SQLite's integers
  objective TEXT NOT NULL,
  space_size TEXT NOT NULL,      -- decimal
  state TEXT NOT NULL,           -- running, finished, interrupted
  tool_version TEXT NOT NULL,
  started_at TEXT NOT NULL,      -- UTC ISO 8601, as all times
  updated_at TEXT NOT NULL,
  store_id INTEGER NOT NULL DEFAULT 1 REFERENCES stores (id),
  origin TEXT NOT NULL DEFAULT '',        -- in words; empty for a search
  manifest TEXT NOT NULL DEFAULT '',      -- the template's file when it was tuned; a hint
  capture_file TEXT NOT NULL DEFAULT ''   -- likewise, of the recorded call
);
INSERT INTO new_sessions (id, kernel_id, device_id, problem_size, compiler, options, policy, capture, restrictions, strategy, seed,
                          objective, space_size, state, tool_version, started_at, updated_at, store_id, origin, manifest)
SELECT s.id, s.kernel_id, k.model, s.problem_size, s.compiler, s.options, k.policy, k.capture, k.restrictions, s.strategy, s.seed,
       s.objective, s.space_size, s.state, s.tool_version, s.started_at,
       (SELECT max(updated_at) FROM sessions JOIN moves ON session = id WHERE becomes = s.id), s.store_id, s.origin, s.manifest
  FROM sessions s JOIN keys k ON k.id = s.id JOIN moves m ON m.session = s.id WHERE m.becomes = s.id ORDER BY s.id;
-- Numbers of dropped sessions are not given again, nor those of sessions that became another.
DELETE FROM sqlite_sequence WHERE name = 'new_sessions';
INSERT INTO sqlite_sequence (name, seq) SELECT 'new_sessions', seq FROM sqlite_sequence WHERE name = 'sessions';

-- What belongs to sessions that become one.
CREATE TEMP TABLE kept AS  -- every trial of theirs, and the one that stands for its configuration
SELECT t.id AS trial, first_value(t.id) OVER (PARTITION BY m.becomes, t.configuration ORDER BY t.recorded_at DESC, t.id)
         AS becomes
  FROM trials t JOIN moves m ON m.session = t.session_id WHERE m.becomes IN (SELECT becomes FROM joined);
CREATE UNIQUE INDEX temp.kept_trials ON kept (trial);
UPDATE OR IGNORE checks SET trial_id = (SELECT becomes FROM kept WHERE trial = trial_id)
 WHERE trial_id IN (SELECT trial FROM kept WHERE trial <> becomes);
DELETE FROM checks WHERE trial_id IN (SELECT trial FROM kept WHERE trial <> becomes);
CREATE TEMP TABLE outdone AS
SELECT session_id FROM (
  SELECT w.session_id, row_number() OVER (PARTITION BY m.becomes ORDER BY w.decided_at DESC, w.session_id) AS place
    FROM winners w JOIN moves m ON m.session = w.session_id) WHERE place > 1;
DELETE FROM winner_ties WHERE session_id IN (SELECT session_id FROM outdone);
DELETE FROM winner_finalists WHERE session_id IN (SELECT session_id FROM outdone);
DELETE FROM winners WHERE session_id IN (SELECT session_id FROM outdone);
UPDATE winner_ties SET trial_id = (SELECT becomes FROM kept WHERE trial = trial_id),
       session_id = (SELECT becomes FROM moves WHERE session = session_id) WHERE trial_id IN (SELECT trial FROM kept);
UPDATE winner_finalists SET trial_id = (SELECT becomes FROM kept WHERE trial = trial_id),
       session_id = (SELECT becomes FROM moves WHERE session = session_id) WHERE trial_id IN (SELECT trial FROM kept);
UPDATE winners SET trial_id = (SELECT becomes FROM kept WHERE trial = trial_id),
       session_id = (SELECT becomes FROM moves WHERE session = session_id) WHERE trial_id IN (SELECT trial FROM kept);
DELETE FROM trials WHERE id IN (SELECT trial FROM kept WHERE trial <> becomes);
UPDATE trials SET session_id = (SELECT becomes FROM moves WHERE session = session_id)
 WHERE session_id IN (SELECT session FROM moves WHERE session <> becomes);
DELETE FROM outcome_counts WHERE session_id IN (SELECT session FROM moves WHERE becomes IN (SELECT becomes FROM joined));
INSERT INTO outcome_counts SELECT session_id, outcome, count(*) FROM trials WHERE session_id IN (SELECT becomes FROM joined)
 GROUP BY session_id, outcome;
-- The later trial of a winner's configuration may have failed: then the best that is left wins.
CREATE TEMP TABLE wrong AS SELECT w.session_id FROM winners w JOIN trials t ON t.id = w.trial_id
 WHERE w.session_id IN (SELECT becomes FROM joined) AND t.outcome <> 'correct';
DELETE FROM winner_ties WHERE session_id IN (SELECT session_id FROM wrong);
DELETE FROM winner_finalists WHERE session_id IN (SELECT session_id FROM wrong);
DELETE FROM winners WHERE session_id IN (SELECT session_id FROM wrong) AND NOT EXISTS
 (SELECT 1 FROM trials t WHERE t.session_id = winners.session_id AND t.outcome = 'correct' AND t.objective IS NOT NULL);
UPDATE winners SET (trial_id, objective, relative_error) =
 (SELECT t.id, t.objective, t.relative_error FROM trials t WHERE t.session_id = winners.session_id AND t.outcome = 'correct'
     AND t.objective IS NOT NULL ORDER BY t.objective LIMIT 1)
 WHERE session_id IN (SELECT session_id FROM wrong);

DROP TABLE sessions;
ALTER TABLE new_sessions RENAME TO sessions;
DROP TABLE devices;
ALTER TABLE new_devices RENAME TO devices;
CREATE UNIQUE INDEX session_keys ON sessions
  (kernel_id, device_id, problem_size, compiler, options, policy, capture, restrictions);  -- the complete key
CREATE INDEX sessions_by_start ON sessions (started_at);
CREATE INDEX sessions_by_device ON sessions (device_id);

-- Which devices of its model a session's trials ran on.
CREATE TABLE session_devices (
  session_id INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  uuid TEXT NOT NULL,
  PRIMARY KEY (session_id, uuid)
) WITHOUT ROWID;
INSERT INTO session_devices SELECT session, uuid FROM used UNION SELECT session_id, device_uuid FROM trials WHERE device_uuid <> '';

-- The times that the finals settled on; NULL where an older version did not keep them.
ALTER TABLE winner_finalists ADD COLUMN time_ms REAL;
ALTER TABLE winner_finalists ADD COLUMN time_error REAL;                    -- relative: 0.01 is ±1 %
ALTER TABLE winner_finalists ADD COLUMN metrics TEXT NOT NULL DEFAULT '{}'; -- JSON object, as measured in the finals
ALTER TABLE winners ADD COLUMN default_trial_id INTEGER REFERENCES trials (id);
ALTER TABLE winners ADD COLUMN time_ms REAL;
ALTER TABLE winners ADD COLUMN time_error REAL;
ALTER TABLE winners ADD COLUMN default_time_ms REAL;
ALTER TABLE winners ADD COLUMN default_time_error REAL;

UPDATE winner_finalists SET time_ms = objective, time_error = relative_error
 WHERE (SELECT objective = 'time' OR objective LIKE 'time,%' FROM sessions WHERE id = session_id);
-- The default is the trial whose figure the winner was compared with, if there is just one such.
UPDATE winners SET default_trial_id = (SELECT max(f.trial_id) FROM winner_finalists f WHERE f.session_id = winners.session_id
   AND f.objective = winners.default_objective HAVING count(*) = 1) WHERE default_objective IS NOT NULL;
UPDATE winners SET default_trial_id = (SELECT max(t.id) FROM trials t WHERE t.session_id = winners.session_id
   AND t.outcome = 'correct' AND t.objective = winners.default_objective HAVING count(*) = 1)
 WHERE default_objective IS NOT NULL AND default_trial_id IS NULL;
UPDATE winners SET (time_ms, time_error) = (SELECT time_ms, time_error FROM winner_finalists f
   WHERE f.session_id = winners.session_id AND f.trial_id = winners.trial_id),
 (default_time_ms, default_time_error) = (SELECT time_ms, time_error FROM winner_finalists f
   WHERE f.session_id = winners.session_id AND f.trial_id = winners.default_trial_id);
UPDATE winners SET (time_ms, time_error) = (SELECT median_ms, relative_error FROM trials WHERE id = trial_id)
 WHERE NOT EXISTS (SELECT 1 FROM winner_finalists f WHERE f.session_id = winners.session_id AND f.trial_id = winners.trial_id);
UPDATE winners SET (default_time_ms, default_time_error) =
   (SELECT median_ms, relative_error FROM trials WHERE id = default_trial_id)
 WHERE NOT EXISTS (SELECT 1 FROM winner_finalists f WHERE f.session_id = winners.session_id
                      AND f.trial_id = winners.default_trial_id);

DROP TABLE temp.old_devices;
DROP TABLE temp.models;
DROP TABLE temp.policies;
DROP TABLE temp.keys;
DROP TABLE temp.moves;
DROP TABLE temp.joined;
DROP TABLE temp.used;
DROP TABLE temp.kept;
DROP TABLE temp.outdone;
DROP TABLE temp.wrong;

CREATE TRIGGER trial_added AFTER INSERT ON trials BEGIN
  INSERT INTO outcome_counts VALUES (NEW.session_id, NEW.outcome, 1)
    ON CONFLICT DO UPDATE SET trials = trials + 1;
  INSERT INTO session_devices SELECT NEW.session_id, NEW.device_uuid WHERE NEW.device_uuid <> '' ON CONFLICT DO NOTHING;
  UPDATE sessions SET updated_at = NEW.recorded_at WHERE id = NEW.session_id AND updated_at < NEW.recorded_at;
END;

CREATE TRIGGER trial_replaced AFTER UPDATE OF outcome ON trials BEGIN
  UPDATE outcome_counts SET trials = trials - 1 WHERE session_id = OLD.session_id AND outcome = OLD.outcome;
  INSERT INTO outcome_counts VALUES (NEW.session_id, NEW.outcome, 1)
    ON CONFLICT DO UPDATE SET trials = trials + 1;
  INSERT INTO session_devices SELECT NEW.session_id, NEW.device_uuid WHERE NEW.device_uuid <> '' ON CONFLICT DO NOTHING;
  UPDATE sessions SET updated_at = NEW.recorded_at WHERE id = NEW.session_id AND updated_at < NEW.recorded_at;
END;

CREATE TRIGGER trial_removed AFTER DELETE ON trials BEGIN
  UPDATE outcome_counts SET trials = trials - 1 WHERE session_id = OLD.session_id AND outcome = OLD.outcome;
END;

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
       (SELECT count(*) FROM session_devices WHERE session_id = s.id) AS devices
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

-- `speedup` is the ratio of settled times; of objectives, where the times are not known.
CREATE VIEW winner_list AS
SELECT w.session_id AS session, k.name AS kernel, d.name AS device, d.driver, s.problem_size, s.objective AS objective_name,
       t.configuration, w.objective, w.relative_error, w.default_objective,
       coalesce(w.default_time_ms / w.time_ms,
                iif(w.objective < 0, w.objective / w.default_objective, w.default_objective / w.objective)) AS speedup,
       t.median_ms, t.metrics, w.trial_id AS trial, w.decided_at,
       (SELECT count(*) FROM winner_ties WHERE session_id = w.session_id) AS ties,
       w.time_ms, w.time_error, w.default_time_ms, w.default_time_error, w.default_trial_id AS default_trial
  FROM winners w JOIN trials t ON t.id = w.trial_id JOIN sessions s ON s.id = w.session_id
  JOIN kernels k ON k.id = s.kernel_id JOIN devices d ON d.id = s.device_id;

CREATE VIEW failure_list AS
SELECT c.session_id AS session, k.name AS kernel, d.name AS device, c.outcome, c.trials,
       (SELECT message FROM trials WHERE session_id = c.session_id AND outcome = c.outcome LIMIT 1) AS example
  FROM outcome_counts c JOIN sessions s ON s.id = c.session_id JOIN kernels k ON k.id = s.kernel_id
  JOIN devices d ON d.id = s.device_id
 WHERE c.outcome <> 'correct' AND c.trials > 0;

CREATE VIEW finalist_list AS
SELECT f.session_id AS session, f.position, f.trial_id AS trial, t.configuration, f.objective, f.relative_error, f.visits,
       f.slower_by, f.slower_low, f.slower_high,
       f.trial_id = w.trial_id
         OR EXISTS (SELECT 1 FROM winner_ties WHERE session_id = f.session_id AND trial_id = f.trial_id) AS tied,
       f.time_ms, f.time_error, f.metrics
  FROM winner_finalists f JOIN trials t ON t.id = f.trial_id JOIN winners w ON w.session_id = f.session_id;

CREATE VIEW check_list AS
SELECT t.session_id AS session, k.name AS kernel, d.name AS device, s.problem_size, t.configuration, c.checked_at,
       c.outcome, c.objective, c.recorded_objective, c.objective / c.recorded_objective AS drift, c.relative_error,
       c.differs, c.message, c.trial_id AS trial
  FROM checks c JOIN trials t ON t.id = c.trial_id JOIN sessions s ON s.id = t.session_id
  JOIN kernels k ON k.id = s.kernel_id JOIN devices d ON d.id = s.device_id;
