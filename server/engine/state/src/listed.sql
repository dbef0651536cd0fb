-- The costs of tool listings for each account, in o200k tokens. `since` is in milliseconds.
CREATE TABLE listed (
    principal TEXT PRIMARY KEY,
    since INTEGER NOT NULL,
    requests INTEGER NOT NULL,
    full_tokens INTEGER NOT NULL,
    sent_tokens INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
