-- What a session's trials are rated by is a part of its policy now, and so of its key, unless it is the time. Recordings
-- that were imported or replayed have one objective anyway.
UPDATE sessions SET policy = policy || ' objective=' || objective
 WHERE objective <> 'time' AND policy <> 'imported' AND policy NOT LIKE 'replayed %';
