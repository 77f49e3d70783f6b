-- Which of a session's devices, all of one model, a trial ran on.
ALTER TABLE trials ADD COLUMN device_uuid TEXT NOT NULL DEFAULT '';  -- empty: never ran, or nobody knows

DROP VIEW condition_list;
CREATE VIEW condition_list AS
SELECT id AS trial, session_id AS session, clock_mhz, power_w, temperature_c, joules, discarded_samples, device_uuid
  FROM trials;
