-- The state that replicas share. Times are the database's own: `clock_timestamp()`, because `now()` is the start of the
-- transaction, before it waited for a lock.
CREATE SCHEMA IF NOT EXISTS toolwrit;

-- The schema's version, and the oldest version of a program that it still serves.
CREATE TABLE toolwrit.version (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    current integer NOT NULL,
    oldest integer NOT NULL
);

-- Every call, in a partition for each day. There is no default partition, because it would be searched and locked whenever
-- a day is added.
CREATE TABLE toolwrit.audit (
    at timestamptz NOT NULL,
    id uuid NOT NULL,
    replica text NOT NULL,
    principal text NOT NULL,
    client text,
    surface text NOT NULL,
    name text NOT NULL,
    operation text,
    effect text,
    focus text NOT NULL,
    role text NOT NULL,
    decision text NOT NULL,
    outcome text NOT NULL,
    micros bigint NOT NULL,
    bytes_in bigint NOT NULL,
    bytes_out bigint NOT NULL,
    instance text,
    arguments text,
    -- A batch whose acknowledgement was lost is sent again.
    PRIMARY KEY (at, id)
) PARTITION BY RANGE (at);
CREATE INDEX ON toolwrit.audit USING brin (at) WITH (pages_per_range = 32);
CREATE INDEX ON toolwrit.audit (principal, at);

-- The partitions for days after today.
CREATE FUNCTION toolwrit.days_ahead() RETURNS integer
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT count(*)::integer FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'toolwrit.audit'::regclass
        AND c.relname > 'audit_' || to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYYMMDD')
$$;

-- Adds partitions from yesterday to some days ahead, and drops those of days that are no longer kept. Runs with the rights of
-- the owner, so that the role that serves needs none to change or delete calls.
CREATE FUNCTION toolwrit.keep_days(kept integer, ahead integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET timezone = 'UTC'
SET lock_timeout = '2s'
AS $$
DECLARE
    today date := clock_timestamp()::date;
    day date;
    part text;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('toolwrit.keep_days', 0));
    FOR offset_days IN -1..ahead LOOP
        day := today + offset_days;
        part := 'audit_' || to_char(day, 'YYYYMMDD');
        CONTINUE WHEN to_regclass('toolwrit.' || part) IS NOT NULL;
        -- Attaching locks the table less than `CREATE TABLE .. PARTITION OF`.
        EXECUTE format('CREATE TABLE toolwrit.%I (LIKE toolwrit.audit INCLUDING ALL)', part);
        EXECUTE format('ALTER TABLE toolwrit.audit ATTACH PARTITION toolwrit.%I FOR VALUES FROM (%L) TO (%L)',
            part, day::timestamptz, (day + 1)::timestamptz);
    END LOOP;
    FOR part IN
        SELECT c.relname FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
        WHERE i.inhparent = 'toolwrit.audit'::regclass
            AND c.relname < 'audit_' || to_char(today - greatest(kept, 1), 'YYYYMMDD')
    LOOP
        EXECUTE format('DROP TABLE toolwrit.%I', part);
    END LOOP;
END
$$;
REVOKE EXECUTE ON FUNCTION toolwrit.keep_days(integer, integer) FROM PUBLIC;
SELECT toolwrit.keep_days(1, 7);

-- The processes that serve now. A row without renewal for ten seconds belongs to none.
CREATE TABLE toolwrit.replicas (
    id uuid PRIMARY KEY,
    name text NOT NULL,
    schema integer NOT NULL,
    build text NOT NULL,
    began timestamptz NOT NULL DEFAULT clock_timestamp(),
    until timestamptz NOT NULL
) WITH (fillfactor = 70);

-- Calls with an idempotency key. Without an answer, the call runs if its owner lives; else its outcome is unknown. A key is
-- bytes, because it may have characters that texts of the database cannot.
CREATE TABLE toolwrit.claims (
    principal text NOT NULL,
    key bytea NOT NULL,
    operation text NOT NULL,
    arguments bytea NOT NULL,
    started timestamptz NOT NULL,
    owner uuid,
    attempt uuid NOT NULL,
    answer bytea,
    PRIMARY KEY (principal, key)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX claims_by_age ON toolwrit.claims (started);

-- Rates: the theoretical arrival time of the next call of each caller. A crash costs one burst.
CREATE UNLOGGED TABLE toolwrit.buckets (
    principal text NOT NULL,
    rate integer NOT NULL,
    tat timestamptz NOT NULL,
    PRIMARY KEY (principal, rate)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX buckets_by_age ON toolwrit.buckets (tat);

-- The calls of each caller in its hour, which began with the first of them.
CREATE TABLE toolwrit.hours (
    principal text PRIMARY KEY,
    calls bigint NOT NULL,
    until timestamptz NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX hours_by_age ON toolwrit.hours (until);

-- Confirmation tokens, each for one use: the call that it confirms, and the preview that was shown.
CREATE TABLE toolwrit.tokens (
    sha256 bytea PRIMARY KEY,
    call bytea NOT NULL,
    preview bytea,
    until timestamptz NOT NULL
);
CREATE INDEX tokens_by_age ON toolwrit.tokens (until);

-- The keys that seal what clients carry from one replica to another. All open, and the newest seals whose time has come.
CREATE TABLE toolwrit.keys (
    number integer PRIMARY KEY,
    secret bytea NOT NULL CHECK (length(secret) = 32),
    seals_from timestamptz NOT NULL,
    until timestamptz NOT NULL DEFAULT 'infinity'
);

-- What one process at a time has or does. The fence grows whenever the owner changes.
CREATE TABLE toolwrit.leases (
    name text PRIMARY KEY,
    owner uuid NOT NULL,
    replica text NOT NULL,
    fence bigint NOT NULL,
    until timestamptz NOT NULL
);

-- What a replica keeps for any other to find, such as sessions and tasks. A text that replaces others has the number 0.
CREATE TABLE toolwrit.kept (
    kind smallint NOT NULL,
    id text NOT NULL,
    number bigint NOT NULL,
    text text NOT NULL,
    until timestamptz NOT NULL,
    PRIMARY KEY (kind, id, number)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX kept_by_age ON toolwrit.kept (until);
CREATE SEQUENCE toolwrit.kept_number;

-- Notices that are too long for a channel, which carries their ids.
CREATE TABLE toolwrit.notices (
    id uuid PRIMARY KEY,
    text text NOT NULL,
    until timestamptz NOT NULL
);

-- The costs of tool listings for each account, in tokens.
CREATE TABLE toolwrit.listed (
    principal text PRIMARY KEY,
    since timestamptz NOT NULL,
    requests bigint NOT NULL,
    full_tokens bigint NOT NULL,
    sent_tokens bigint NOT NULL
) WITH (fillfactor = 70);
