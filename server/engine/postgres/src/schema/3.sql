-- The calls of each session that may make only some.
CREATE TABLE toolwrit.session_calls (
    session text PRIMARY KEY,
    calls bigint NOT NULL,
    until timestamptz NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX session_calls_by_age ON toolwrit.session_calls (until);

-- The rates of APIs: the theoretical arrival time of the next request to each. A crash costs one burst.
CREATE UNLOGGED TABLE toolwrit.api_rates (
    api text PRIMARY KEY,
    tat timestamptz NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX api_rates_by_age ON toolwrit.api_rates (tat);
