-- How many bytes the audit holds: the texts of its rows, and 200 for the rest of each. Whoever adds rows
-- adds to it once for all of them; rows go one by one.
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

-- What is beyond the newest million, or beyond 256 MiB, may go, to bound the file; nothing else.
DROP TRIGGER audit_is_not_deleted;
CREATE TRIGGER audit_is_not_deleted BEFORE DELETE ON audit
WHEN OLD.id > (SELECT max(id) FROM audit) - 1000000
    AND (SELECT bytes FROM audit_size) <= 268435456
BEGIN
    SELECT RAISE(ABORT, 'the audit is append-only');
END;
