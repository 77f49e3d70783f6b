-- The objectives of a session of which more is better, with commas between. Of sessions that older versions made, the
-- first trial tells that has the metric beside the objective, which is its negative then; where none does, an objective
-- below zero is taken for one.
ALTER TABLE sessions ADD COLUMN maximised TEXT NOT NULL DEFAULT '';
UPDATE sessions SET maximised = coalesce((
  SELECT group_concat(o.value, ',')
    FROM json_each('[' || replace(json_quote(sessions.objective), ',', '","') || ']') o
   WHERE coalesce(
     (SELECT (s.value < 0) <> (m.value < 0)
        FROM trials t, json_each(t.objectives) s, json_each(t.metrics) m
       WHERE t.session_id = sessions.id AND t.outcome = 'correct' AND s.key = o.key AND m.key = o.value
         AND s.type IN ('integer', 'real') AND m.type IN ('integer', 'real') AND s.value <> 0 AND m.value <> 0
       ORDER BY t.id LIMIT 1),
     EXISTS (SELECT 1 FROM trials t, json_each(t.objectives) s
              WHERE t.session_id = sessions.id AND t.outcome = 'correct' AND s.key = o.key
                AND s.type IN ('integer', 'real') AND s.value < 0))), '')
 WHERE objective <> 'time'
    OR EXISTS (SELECT 1 FROM trials t
                WHERE t.session_id = sessions.id AND t.outcome = 'correct' AND t.objective < 0);
