-- Who handles a POST with an Idempotency-Key holds a lease as everybody does. Answers stay; what was
-- under way when this ran is answered by whoever asks next.
CREATE TABLE former_idempotency_keys AS SELECT * FROM idempotency_keys;
DROP TABLE idempotency_keys;
CREATE TABLE idempotency_keys (
    id {id},
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    -- NULL while the first request still runs.
    status INTEGER,
    body {bytes},
    claim BIGINT NOT NULL DEFAULT 0,
    lease_until DOUBLE PRECISION,
    leased_by TEXT,
    created_at DOUBLE PRECISION NOT NULL,
    UNIQUE (user_id, key)
);
INSERT INTO idempotency_keys (user_id, key, fingerprint, status, body, created_at)
    SELECT user_id, key, fingerprint, status, body, created_at FROM former_idempotency_keys;
DROP TABLE former_idempotency_keys;
CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);
CREATE INDEX idempotency_keys_leases ON idempotency_keys (lease_until)
    WHERE lease_until IS NOT NULL;
