-- How many bytes the audit holds: the texts of its rows, and 200 for the rest of each row. A transaction that
-- inserts rows updates it once for all of them. The trigger updates it for each deleted row.
CREATE TABLE audit_size (bytes INTEGER NOT NULL) STRICT;

INSERT INTO audit_size
SELECT coalesce(sum(200 + length(CAST(principal AS BLOB)) + length(CAST(name AS BLOB))
    + coalesce(length(CAST(client AS BLOB)), 0) + coalesce(length(CAST(arguments AS BLOB)), 0)), 0)
FROM audit;

CREATE TRIGGER audit_shrinks AFTER DELETE ON audit
BEGIN
    UPDATE audit_size SET bytes = bytes - 200 - length(CAST(OLD.principal AS BLOB))
        - length(CAST(OLD.name AS BLOB)) - coalesce(length(CAST(OLD.client AS BLOB)), 0)
        - coalesce(length(CAST(OLD.arguments AS BLOB)), 0);
END;

-- Only rows beyond the newest million, or beyond 256 MiB, may be deleted, to limit the size of the file.
DROP TRIGGER audit_is_not_deleted;
CREATE TRIGGER audit_is_not_deleted BEFORE DELETE ON audit
WHEN OLD.id > (SELECT max(id) FROM audit) - 1000000
    AND (SELECT bytes FROM audit_size) <= 268435456
BEGIN
    SELECT RAISE(ABORT, 'the audit is append-only');
END;
