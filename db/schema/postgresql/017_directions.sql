-- The objectives of a session of which more is better, with commas between. Of sessions that older versions made, the
-- first trial tells that has the metric beside the objective, which is its negative then; where none does, an objective
-- below zero is taken for one.
ALTER TABLE sessions ADD COLUMN maximised TEXT COLLATE "C" NOT NULL DEFAULT '';
UPDATE sessions AS each SET maximised = coalesce((
  SELECT string_agg(o.name, ',' ORDER BY o.place)
    FROM unnest(string_to_array(each.objective, ',')) WITH ORDINALITY AS o (name, place)
   WHERE coalesce(
     (SELECT (n.stored < 0) <> (n.metric < 0)
        FROM trials t, LATERAL (
          SELECT CASE jsonb_typeof(t.objectives::jsonb -> (o.place - 1)::int)
                   WHEN 'number' THEN (t.objectives::jsonb ->> (o.place - 1)::int)::double precision END AS stored,
                 CASE jsonb_typeof(t.metrics::jsonb -> o.name)
                   WHEN 'number' THEN (t.metrics::jsonb ->> o.name)::double precision END AS metric) n
       WHERE t.session_id = each.id AND t.outcome = 'correct' AND n.stored <> 0 AND n.metric <> 0
       ORDER BY t.id LIMIT 1),
     EXISTS (SELECT 1 FROM trials t
              WHERE t.session_id = each.id AND t.outcome = 'correct'
                AND CASE jsonb_typeof(t.objectives::jsonb -> (o.place - 1)::int)
                      WHEN 'number' THEN (t.objectives::jsonb ->> (o.place - 1)::int)::double precision < 0
                      ELSE false END))), '')
 WHERE objective <> 'time'
    OR EXISTS (SELECT 1 FROM trials t
                WHERE t.session_id = each.id AND t.outcome = 'correct' AND t.objective < 0);
