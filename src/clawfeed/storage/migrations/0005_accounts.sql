-- The doors: one-time links, sign-ins by an identity provider, brakes on guessing, and who did what.
-- Secrets are stored as hashes only; what must be kept readable for minutes says so.

-- A link that sets a password once: the first admin's, or that of a person an admin invited.
CREATE TABLE one_time_links (
    id {id},
    token_hash {bytes} NOT NULL UNIQUE,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at DOUBLE PRECISION NOT NULL,
    expires_at DOUBLE PRECISION NOT NULL
);

-- A sign-in under way at an identity provider; bound to the browser that began it.
CREATE TABLE oidc_flows (
    state_hash {bytes} PRIMARY KEY,
    browser_hash {bytes} NOT NULL,
    provider TEXT NOT NULL,
    nonce_hash {bytes} NOT NULL,
    -- Readable for ten minutes: the provider wants the very text, and it opens nothing by itself.
    code_verifier TEXT NOT NULL,
    next_path TEXT NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    expires_at DOUBLE PRECISION NOT NULL
);

CREATE INDEX oidc_flows_expiry ON oidc_flows (expires_at);

-- Failed attempts per account and per address, the same count for every door and every process.
CREATE TABLE throttles (
    key TEXT PRIMARY KEY,
    failures INTEGER NOT NULL,
    last_at DOUBLE PRECISION NOT NULL
);

CREATE INDEX throttles_age ON throttles (last_at);

CREATE TABLE audit_log (
    id {id},
    at DOUBLE PRECISION NOT NULL,
    user_id BIGINT REFERENCES users (id) ON DELETE SET NULL,
    action TEXT NOT NULL,
    detail TEXT NOT NULL DEFAULT '',
    client TEXT NOT NULL DEFAULT ''
);

CREATE INDEX audit_log_time ON audit_log (at);

-- What a POST with an Idempotency-Key was answered, so that a retry is answered the same.
CREATE TABLE idempotency_keys (
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    -- NULL while the first request still runs.
    status INTEGER,
    body {bytes},
    created_at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (user_id, key)
);

CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);

CREATE INDEX marks_newest ON marks (user_id, id);
