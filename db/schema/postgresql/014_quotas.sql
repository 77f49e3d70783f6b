-- Whose work it is, what device time it has spent, and how much of that an owner allows.

-- Who submitted work is the server's to say, so that nobody submits in another's name. It is the user who logged in,
-- whatever role they take on later.
CREATE FUNCTION keep_submitter() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  NEW.submitted_by := CASE TG_OP WHEN 'INSERT' THEN session_user ELSE OLD.submitted_by END;
  RETURN NEW;
END $$;
CREATE TRIGGER work_submitted BEFORE INSERT OR UPDATE OF submitted_by ON work FOR EACH ROW
  EXECUTE FUNCTION keep_submitter();

ALTER TABLE work ADD COLUMN devices BIGINT NOT NULL DEFAULT 1;  -- that measure the session, or did last

-- Device seconds by the hour in which they were spent, by the server's clock: one for all nodes. Only the trigger
-- below writes here, and it only adds: what was spent stays spent when its work is removed or its time set to zero.
CREATE TABLE work_spending (
  hour TIMESTAMPTZ NOT NULL,
  device_s DOUBLE PRECISION NOT NULL,
  submitter TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (hour, submitter)  -- claims look at the last days of everybody
);

CREATE TABLE work_quotas (
  submitter TEXT COLLATE "C" PRIMARY KEY,
  device_s DOUBLE PRECISION NOT NULL CHECK (device_s >= 0),  -- in any period that ends now
  period TEXT COLLATE "C" NOT NULL CHECK (period IN ('day', 'week', 'month'))
);

-- With the rights of the owner, for those who run work have none to write there. Temporary tables come last, so that
-- none of that name takes the place of this one.
CREATE FUNCTION charge_work() RETURNS TRIGGER LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = warptune, pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO work_spending AS s
    VALUES (date_trunc('hour', clock_timestamp()), (NEW.spent_s - OLD.spent_s) * greatest(NEW.devices, 1),
            NEW.submitted_by)
    ON CONFLICT (hour, submitter) DO UPDATE SET device_s = s.device_s + EXCLUDED.device_s;
  RETURN NULL;
END $$;
CREATE TRIGGER work_spent AFTER UPDATE OF spent_s ON work FOR EACH ROW WHEN (NEW.spent_s > OLD.spent_s)
  EXECUTE FUNCTION charge_work();

-- Tuners get the right to write new tables by default (`grant`), readers that to read them.
DO $$
DECLARE
  name TEXT;
BEGIN
  FOR name IN
    SELECT DISTINCT CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END
      FROM pg_class c, aclexplode(c.relacl) a
     WHERE c.oid IN ('work_quotas'::regclass, 'work_spending'::regclass) AND a.grantee <> c.relowner
  LOOP
    EXECUTE format('REVOKE INSERT, UPDATE, DELETE ON work_quotas, work_spending FROM %s', name);
  END LOOP;
END $$;
