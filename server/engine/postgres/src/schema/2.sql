-- The audit is append-only, for its owner, too. Old days are dropped as tables.
CREATE FUNCTION toolwrit.refuse_change() RETURNS trigger
LANGUAGE plpgsql
AS $$ BEGIN RAISE EXCEPTION 'the audit is append-only'; END $$;

CREATE TRIGGER audit_is_not_changed BEFORE UPDATE OR DELETE ON toolwrit.audit
FOR EACH ROW EXECUTE FUNCTION toolwrit.refuse_change();

CREATE TRIGGER audit_is_not_emptied BEFORE TRUNCATE ON toolwrit.audit
FOR EACH STATEMENT EXECUTE FUNCTION toolwrit.refuse_change();
