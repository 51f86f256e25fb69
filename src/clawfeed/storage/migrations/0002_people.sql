-- Who may come in, what they follow and what they marked. Secrets are stored as hashes only.

CREATE TABLE sessions (
    id {id},
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    token_hash {bytes} NOT NULL UNIQUE,
    created_at DOUBLE PRECISION NOT NULL,
    last_seen_at DOUBLE PRECISION NOT NULL,
    expires_at DOUBLE PRECISION NOT NULL,
    client TEXT NOT NULL DEFAULT ''
);

CREATE INDEX sessions_by_user ON sessions (user_id);
CREATE INDEX sessions_expiry ON sessions (expires_at);

CREATE TABLE api_keys (
    id {id},
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    key_id TEXT NOT NULL UNIQUE,
    key_hash {bytes} NOT NULL,
    last4 TEXT NOT NULL,
    scopes TEXT NOT NULL DEFAULT 'read',
    created_at DOUBLE PRECISION NOT NULL,
    expires_at DOUBLE PRECISION,
    last_used_at DOUBLE PRECISION,
    revoked_at DOUBLE PRECISION
);

CREATE INDEX api_keys_by_user ON api_keys (user_id);

CREATE TABLE user_subscriptions (
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    source_id BIGINT NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
    created_at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (user_id, source_id)
);

CREATE INDEX user_subscriptions_by_source ON user_subscriptions (source_id);

CREATE TABLE source_packs (
    id {id},
    slug TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    description TEXT NOT NULL DEFAULT '',
    created_by BIGINT REFERENCES users (id) ON DELETE SET NULL,
    is_public INTEGER NOT NULL DEFAULT 1,
    created_at DOUBLE PRECISION NOT NULL,
    updated_at DOUBLE PRECISION NOT NULL
);

CREATE TABLE source_pack_sources (
    pack_id BIGINT NOT NULL REFERENCES source_packs (id) ON DELETE CASCADE,
    source_id BIGINT NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
    position INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (pack_id, source_id)
);

CREATE TABLE marks (
    id {id},
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    raw_item_id BIGINT REFERENCES raw_items (id) ON DELETE SET NULL,
    url TEXT NOT NULL,
    title TEXT NOT NULL,
    note TEXT NOT NULL DEFAULT '',
    status TEXT NOT NULL DEFAULT 'saved',
    created_at DOUBLE PRECISION NOT NULL,
    UNIQUE (user_id, url)
);
