-- How the device was doing during a trial, what a run of it cost in joules, and how many samples were taken again.
ALTER TABLE trials ADD COLUMN joules REAL;         -- these four: NULL if unknown
ALTER TABLE trials ADD COLUMN clock_mhz REAL;
ALTER TABLE trials ADD COLUMN power_w REAL;
ALTER TABLE trials ADD COLUMN temperature_c REAL;
ALTER TABLE trials ADD COLUMN discarded_samples INTEGER NOT NULL DEFAULT 0;

-- The candidates that a session measured again side by side before it settled; the winner is position 0.
CREATE TABLE winner_finalists (
  session_id INTEGER NOT NULL REFERENCES winners (session_id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  trial_id INTEGER NOT NULL REFERENCES trials (id),
  objective REAL NOT NULL,
  relative_error REAL NOT NULL,
  visits INTEGER NOT NULL,
  slower_by REAL NOT NULL,       -- cost over the winner's, less one
  slower_low REAL NOT NULL,      -- simultaneous 95 % bounds; infinite if there are none
  slower_high REAL NOT NULL,
  PRIMARY KEY (session_id, position)
) WITHOUT ROWID;

CREATE VIEW finalist_list AS
SELECT f.session_id AS session, f.position, f.trial_id AS trial, t.configuration, f.objective, f.relative_error, f.visits,
       f.slower_by, f.slower_low, f.slower_high,
       f.position = 0 OR EXISTS (SELECT 1 FROM winner_ties WHERE session_id = f.session_id AND trial_id = f.trial_id)
         AS tied
  FROM winner_finalists f JOIN trials t ON t.id = f.trial_id;

CREATE VIEW condition_list AS
SELECT id AS trial, session_id AS session, clock_mhz, power_w, temperature_c, joules, discarded_samples FROM trials;
