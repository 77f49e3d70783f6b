-- What a trial's kernels took, launch by launch, and what its run had to do at least.
-- `launches` is a JSON array, as long as launches differ: kernel, grid and block (three numbers each), launches (of these
-- figures in one run), and what `registers_per_thread` … `occupancy` are the worst of. Empty: never compiled, or recorded
-- by an older version. `arithmetic` names the roof that `flops` count against.
ALTER TABLE trials ADD COLUMN launches TEXT NOT NULL DEFAULT '';
ALTER TABLE trials ADD COLUMN flops REAL;  -- this and the next: of one run; NULL if the manifest does not say
ALTER TABLE trials ADD COLUMN bytes REAL;
ALTER TABLE trials ADD COLUMN arithmetic TEXT NOT NULL DEFAULT '';

-- What devices of a model were measured to reach. Apart from `devices`, whose rows go with their last session.
CREATE TABLE roofs (
  backend TEXT NOT NULL,            -- these five are the model
  device TEXT NOT NULL,
  architecture TEXT NOT NULL,
  memory_gib INTEGER NOT NULL,
  multiprocessors INTEGER NOT NULL,
  name TEXT NOT NULL,               -- dram, l2, shared, fp32, fp64, tensor_bf16, tensor_tf32
  value REAL NOT NULL,              -- bytes or operations a second
  method TEXT NOT NULL,             -- what was run, in words
  driver TEXT NOT NULL,
  device_uuid TEXT NOT NULL,        -- the one that it was measured on
  measured_at TEXT NOT NULL,        -- UTC ISO 8601
  tool_version TEXT NOT NULL,
  PRIMARY KEY (backend, device, architecture, memory_gib, multiprocessors, name)
) WITHOUT ROWID;

CREATE VIEW launch_list AS
SELECT t.id AS trial, t.session_id AS session, l.key AS position, l.value ->> 'kernel' AS kernel,
       l.value -> 'grid' AS grid, l.value -> 'block' AS block, coalesce(l.value ->> 'launches', 1) AS launches,
       l.value ->> 'registers_per_thread' AS registers_per_thread,
       l.value ->> 'local_bytes_per_thread' AS local_bytes_per_thread,
       l.value ->> 'static_shared_bytes' AS static_shared_bytes,
       l.value ->> 'dynamic_shared_bytes' AS dynamic_shared_bytes,
       l.value ->> 'threads_per_block' AS threads_per_block, l.value ->> 'occupancy' AS occupancy
  FROM trials t JOIN json_each(iif(t.launches = '', '[]', t.launches)) l;

-- Work a run, and what the search's time makes of it.
CREATE VIEW work_list AS
SELECT id AS trial, session_id AS session, flops, bytes, arithmetic, flops / median_ms / 1e6 AS gflops,
       bytes / median_ms / 1e6 AS gbs, flops / bytes AS flops_per_byte
  FROM trials WHERE flops IS NOT NULL OR bytes IS NOT NULL;

CREATE VIEW roof_list AS
SELECT backend, device, architecture, memory_gib, multiprocessors, name, value, method, driver, device_uuid AS uuid,
       measured_at, tool_version FROM roofs;
