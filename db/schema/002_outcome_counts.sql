-- Trials of a session by outcome, kept by triggers: listing thousands of sessions must not count a million trials.
CREATE TABLE outcome_counts (
  session_id INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  outcome TEXT NOT NULL,
  trials INTEGER NOT NULL,
  PRIMARY KEY (session_id, outcome)
) WITHOUT ROWID;
INSERT INTO outcome_counts SELECT session_id, outcome, count(*) FROM trials GROUP BY session_id, outcome;

CREATE TRIGGER trial_added AFTER INSERT ON trials BEGIN
  INSERT INTO outcome_counts VALUES (NEW.session_id, NEW.outcome, 1)
    ON CONFLICT DO UPDATE SET trials = trials + 1;
  UPDATE sessions SET updated_at = NEW.recorded_at WHERE id = NEW.session_id AND updated_at < NEW.recorded_at;
END;

CREATE TRIGGER trial_replaced AFTER UPDATE OF outcome ON trials BEGIN
  UPDATE outcome_counts SET trials = trials - 1 WHERE session_id = OLD.session_id AND outcome = OLD.outcome;
  INSERT INTO outcome_counts VALUES (NEW.session_id, NEW.outcome, 1)
    ON CONFLICT DO UPDATE SET trials = trials + 1;
  UPDATE sessions SET updated_at = NEW.recorded_at WHERE id = NEW.session_id AND updated_at < NEW.recorded_at;
END;

CREATE TRIGGER trial_removed AFTER DELETE ON trials BEGIN
  UPDATE outcome_counts SET trials = trials - 1 WHERE session_id = OLD.session_id AND outcome = OLD.outcome;
END;
