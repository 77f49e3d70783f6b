-- Hashes of the bits of a verified run: of its inputs, and of its outputs. `data_hash` is empty where nothing was verified
-- or an older version recorded, `output_hash` where the outputs may differ from run to run, as their manifest says.
ALTER TABLE trials ADD COLUMN data_hash TEXT NOT NULL DEFAULT '';
ALTER TABLE trials ADD COLUMN output_hash TEXT NOT NULL DEFAULT '';

CREATE VIEW bits_list AS
SELECT t.id AS trial, t.session_id AS session, t.data_hash, t.output_hash
  FROM trials t WHERE t.data_hash <> '';
