-- Which of a problem's values are sizes and which variants, in the manifest's order: {"sizes":["M"],"variants":["KIND"]}.
-- Empty in rows from before: then all are sizes. `problem_size` has both, sorted by name, as part of the key.
ALTER TABLE sessions ADD COLUMN problem_names TEXT NOT NULL DEFAULT '';

-- The library's templates had kinds of a problem as sizes numbered from 1. They are variants now, with values of their
-- own. A row of another template of the same name keeps its numbers unless they are just these.
CREATE TABLE numbered_kinds (kernel TEXT NOT NULL, name TEXT NOT NULL, number INTEGER NOT NULL, value TEXT NOT NULL);
INSERT INTO numbered_kinds VALUES
  ('bfs', 'PATTERN', 1, '"uniform"'), ('bfs', 'PATTERN', 2, '"power_law"'),
  ('convolution2d', 'SEPARABLE', 1, 'false'), ('convolution2d', 'SEPARABLE', 2, 'true'),
  ('gemm', 'PRECISION', 1, '"float"'), ('gemm', 'PRECISION', 2, '"double"'),
  ('gemm', 'TRANSPOSE_A', 1, 'false'), ('gemm', 'TRANSPOSE_A', 2, 'true'),
  ('gemm', 'TRANSPOSE_B', 1, 'false'), ('gemm', 'TRANSPOSE_B', 2, 'true'),
  ('gemm_tensor', 'PRECISION', 1, '"tf32"'), ('gemm_tensor', 'PRECISION', 2, '"half"'),
  ('gemm_tensor', 'PRECISION', 3, '"bfloat16"'),
  ('conv_layer', 'PADDING', 1, '"none"'), ('conv_layer', 'PADDING', 2, '"same"'),
  ('conv_layer', 'PADDING', 3, '"full"'),
  ('histogram', 'KIND', 1, '"bytes"'), ('histogram', 'KIND', 2, '"integers"'),
  ('histogram', 'SKEW', 1, '"uniform"'), ('histogram', 'SKEW', 2, '"crowded"'),
  ('radix_sort', 'KIND', 1, '"keys"'), ('radix_sort', 'KIND', 2, '"pairs"'),
  ('scan', 'KIND', 1, '"inclusive"'), ('scan', 'KIND', 2, '"exclusive"'),
  ('segmented_scan', 'KIND', 1, '"flags"'), ('segmented_scan', 'KIND', 2, '"identifiers"'),
  ('spmv', 'PATTERN', 1, '"band"'), ('spmv', 'PATTERN', 2, '"power_law"'), ('spmv', 'PATTERN', 3, '"scattered_band"');

-- The names that a row's problem has; one that it lacks is skipped when it is read.
UPDATE sessions SET problem_names = (
  SELECT CASE name
    WHEN 'bfs' THEN '{"sizes":["VERTICES","AVERAGE","DEPTH"],"variants":["PATTERN"]}'
    WHEN 'convolution2d' THEN '{"sizes":["WIDTH","HEIGHT","RADIUS"],"variants":["SEPARABLE"]}'
    WHEN 'gemm' THEN '{"sizes":["M","N","K"],"variants":["PRECISION","TRANSPOSE_A","TRANSPOSE_B"]}'
    WHEN 'gemm_tensor' THEN '{"sizes":["M","N","K"],"variants":["PRECISION"]}'
    WHEN 'conv_layer' THEN '{"sizes":["FILTERS_OUT","CHANNELS","HEIGHT","WIDTH","BATCH","FILTER_HEIGHT","FILTER_WIDTH","STRIDE"],"variants":["PADDING"]}'
    WHEN 'histogram' THEN '{"sizes":["SIZE","BINS"],"variants":["KIND","SKEW"]}'
    WHEN 'radix_sort' THEN '{"sizes":["SIZE"],"variants":["KIND"]}'
    WHEN 'scan' THEN '{"sizes":["SIZE"],"variants":["KIND"]}'
    WHEN 'segmented_scan' THEN '{"sizes":["SIZE","LENGTH"],"variants":["KIND"]}'
    WHEN 'spmv' THEN '{"sizes":["ROWS","AVERAGE"],"variants":["PATTERN"]}'
  END FROM kernels WHERE id = sessions.kernel_id)
 WHERE EXISTS (SELECT 1 FROM kernels k JOIN numbered_kinds n ON n.kernel = k.name
                JOIN json_each(sessions.problem_size) e ON e.key = n.name AND e.value = n.number
                WHERE k.id = sessions.kernel_id);

UPDATE sessions SET problem_size = (
  SELECT json_group_object(key, json(value)) FROM (
    SELECT e.key, coalesce(n.value, json_quote(e.value)) AS value
      FROM json_each(sessions.problem_size) e JOIN kernels k ON k.id = sessions.kernel_id
      LEFT JOIN numbered_kinds n ON n.kernel = k.name AND n.name = e.key AND n.number = e.value
     ORDER BY e.key))
 WHERE problem_names <> '';

DROP TABLE numbered_kinds;
