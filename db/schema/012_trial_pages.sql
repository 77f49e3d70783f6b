-- A session's trials in pages, in the order of recording and by outcome: without it, each page reads all trials of a store.
-- Outcomes are few, so pages of all of them are merged from one range of this index each (trial_pages.cpp).
CREATE INDEX trials_by_outcome ON trials (session_id, outcome);
