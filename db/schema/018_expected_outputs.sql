-- What a session's reference expects of its outputs, as a JSON array: of each its name, how many elements are compared, the
-- least and the most of the finite ones, how many are NaN or infinite, a value that many have and how many have it, whether
-- all have it, whether all are as the buffer begins, how many a zero would be wrong for, and the largest error that is
-- allowed. Empty: nothing was verified, or an older version recorded.
ALTER TABLE sessions ADD COLUMN expected TEXT NOT NULL DEFAULT '';
