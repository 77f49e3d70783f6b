-- As 018_expected_outputs.sql for SQLite.
ALTER TABLE sessions ADD COLUMN expected TEXT COLLATE "C" NOT NULL DEFAULT '';
