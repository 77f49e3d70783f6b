-- As 015_output_bits.sql for SQLite.
ALTER TABLE trials ADD COLUMN data_hash TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE trials ADD COLUMN output_hash TEXT COLLATE "C" NOT NULL DEFAULT '';

CREATE VIEW bits_list AS
SELECT t.id AS trial, t.session_id AS session, t.data_hash, t.output_hash
  FROM trials t WHERE t.data_hash <> '';
