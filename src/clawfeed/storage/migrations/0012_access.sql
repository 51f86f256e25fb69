-- Browsers in which somebody signed in before: guesses made elsewhere do not keep these out.
CREATE TABLE known_devices (
    token_hash {bytes} NOT NULL,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    last_seen_at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (token_hash, user_id)
);

CREATE INDEX known_devices_by_user ON known_devices (user_id);

-- The key that made a key, and a hash of the operator's key if that did: it ends with either.
ALTER TABLE api_keys ADD COLUMN parent_id BIGINT;
ALTER TABLE api_keys ADD COLUMN operator_hash {bytes};

CREATE INDEX api_keys_by_parent ON api_keys (parent_id);
