-- What tool listings cost each account, in o200k tokens, since a moment in milliseconds.
CREATE TABLE listed (
    principal TEXT PRIMARY KEY,
    since INTEGER NOT NULL,
    requests INTEGER NOT NULL,
    full_tokens INTEGER NOT NULL,
    sent_tokens INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
