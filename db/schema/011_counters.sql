-- What was counted of a trial's run outside its samples, as JSON: "values" of all launches by the counter's name,
-- "launches" with a kernel and values each, "lacking", and, if nothing could be counted, "failure". NULL: never asked for.
ALTER TABLE trials ADD COLUMN counters TEXT;

CREATE VIEW counter_list AS
SELECT t.id AS trial, t.session_id AS session, c.key AS counter, c.value
  FROM trials t, json_each(t.counters, '$.values') c;
