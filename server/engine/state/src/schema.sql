-- Every call, whatever its outcome.
CREATE TABLE audit (
    id INTEGER PRIMARY KEY,
    time TEXT NOT NULL,
    principal TEXT NOT NULL,
    client TEXT,
    surface TEXT NOT NULL,
    name TEXT NOT NULL,
    operation TEXT,
    effect TEXT,
    focus TEXT NOT NULL,
    role TEXT NOT NULL,
    decision TEXT NOT NULL,
    outcome TEXT NOT NULL,
    micros INTEGER NOT NULL,
    bytes_in INTEGER NOT NULL,
    bytes_out INTEGER NOT NULL,
    arguments TEXT
) STRICT;

CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit
BEGIN
    SELECT RAISE(ABORT, 'the audit is append-only');
END;

-- Only rows beyond the newest million may be deleted, to limit the size of the file.
CREATE TRIGGER audit_is_not_deleted BEFORE DELETE ON audit
WHEN OLD.id > (SELECT max(id) FROM audit) - 1000000
BEGIN
    SELECT RAISE(ABORT, 'the audit is append-only');
END;

-- Calls with an idempotency key. Without an answer, the call was started and its outcome is unknown.
CREATE TABLE idempotency (
    principal TEXT NOT NULL,
    key TEXT NOT NULL,
    operation TEXT NOT NULL,
    arguments BLOB NOT NULL,
    started INTEGER NOT NULL,
    answer TEXT,
    PRIMARY KEY (principal, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_by_age ON idempotency (started);
