-- Every store whose trials are kept here: 1 is this file itself, the others came in through a merge.
CREATE TABLE stores (
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE,
  file TEXT NOT NULL,            -- where it lay when it was merged; empty for this file
  merged_at TEXT                 -- last merge, UTC ISO 8601; NULL for this file
);
INSERT INTO stores (id, uuid, file) VALUES (1, lower(hex(randomblob(16))), '');

CREATE TABLE devices (
  id INTEGER PRIMARY KEY,
  backend TEXT NOT NULL,
  name TEXT NOT NULL,
  uuid TEXT NOT NULL,
  architecture TEXT NOT NULL,
  driver TEXT NOT NULL,
  limits TEXT NOT NULL,          -- JSON object
  UNIQUE (backend, name, uuid, architecture, driver)
);

CREATE TABLE kernels (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  source_hash TEXT NOT NULL,
  manifest_hash TEXT NOT NULL,
  UNIQUE (name, source_hash, manifest_hash)
);

-- AUTOINCREMENT: the number of a dropped session is never given to another one, since people write it down.
CREATE TABLE sessions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kernel_id INTEGER NOT NULL REFERENCES kernels (id),
  device_id INTEGER NOT NULL REFERENCES devices (id),
  problem_size TEXT NOT NULL,    -- JSON object, sorted by name
  compiler TEXT NOT NULL,
  options TEXT NOT NULL,
  policy TEXT NOT NULL,
  strategy TEXT NOT NULL,
  seed TEXT NOT NULL,            -- decimal: an unsigned 64-bit number does not fit SQLite's integers
  objective TEXT NOT NULL,
  space_size TEXT NOT NULL,      -- decimal
  state TEXT NOT NULL,           -- running, finished, interrupted
  tool_version TEXT NOT NULL,
  started_at TEXT NOT NULL,      -- UTC ISO 8601, as all times
  updated_at TEXT NOT NULL,
  store_id INTEGER NOT NULL DEFAULT 1 REFERENCES stores (id),
  UNIQUE (kernel_id, device_id, problem_size, compiler, options, policy)  -- the complete key
);
CREATE INDEX sessions_by_start ON sessions (started_at);
CREATE INDEX sessions_by_device ON sessions (device_id);

CREATE TABLE trials (
  id INTEGER PRIMARY KEY,
  session_id INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  configuration TEXT NOT NULL,   -- JSON object in the manifest's order
  outcome TEXT NOT NULL,
  objectives TEXT NOT NULL,      -- JSON array, the primary one first
  objective REAL GENERATED ALWAYS AS (json_extract(objectives, '$[0]')) VIRTUAL,
  median_ms REAL,                -- this and the next three: only if measured
  relative_error REAL,
  cut_short INTEGER,
  samples_ms BLOB,               -- little-endian IEEE 754 doubles
  metrics TEXT NOT NULL,         -- JSON object
  compile_ms REAL,
  verify_ms REAL,
  measure_ms REAL,
  framework_ms REAL,
  registers_per_thread INTEGER,  -- this and the next five: only if compiled
  local_bytes_per_thread INTEGER,
  static_shared_bytes INTEGER,
  dynamic_shared_bytes INTEGER,
  threads_per_block INTEGER,
  occupancy REAL,
  message TEXT NOT NULL,
  recorded_at TEXT NOT NULL,
  store_id INTEGER NOT NULL DEFAULT 1 REFERENCES stores (id),
  UNIQUE (session_id, configuration)
);
CREATE INDEX trials_by_objective ON trials (session_id, objective) WHERE outcome = 'correct';

CREATE TABLE winners (
  session_id INTEGER PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
  trial_id INTEGER NOT NULL REFERENCES trials (id),
  objective REAL NOT NULL,
  relative_error REAL,
  default_objective REAL,
  decided_at TEXT NOT NULL
);

CREATE TABLE winner_ties (
  session_id INTEGER NOT NULL REFERENCES winners (session_id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  trial_id INTEGER NOT NULL REFERENCES trials (id),
  PRIMARY KEY (session_id, position)
) WITHOUT ROWID;
