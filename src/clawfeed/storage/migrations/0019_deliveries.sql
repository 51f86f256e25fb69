-- What leaving the house needs: where a channel comes from, alarms, messages about both, turns.
-- Nothing used the outbox of 0008, so it is made anew.

-- 'environment': from the operator's settings, with its secrets there; 'stored': somebody added it.
ALTER TABLE channels ADD COLUMN origin TEXT NOT NULL DEFAULT 'stored'
    CHECK (origin IN ('stored', 'environment'));
-- 1: alarms go there, too. Of people's channels only those of admins count, but for their own.
ALTER TABLE channels ADD COLUMN gets_alarms INTEGER NOT NULL DEFAULT 0;

-- What is wrong now, and what was: raised once, cleared once. Without an owner it is the admins'.
CREATE TABLE alarms (
    id {id},
    code TEXT NOT NULL,
    subject TEXT NOT NULL DEFAULT '',
    owner_id BIGINT REFERENCES users (id) ON DELETE CASCADE,
    parameters TEXT NOT NULL DEFAULT '{}',
    raised_at DOUBLE PRECISION NOT NULL,
    -- When its end was told, once. One that is raised all the same came back within the hour.
    recovered_at DOUBLE PRECISION,
    cleared_at DOUBLE PRECISION
);
CREATE UNIQUE INDEX alarms_raised ON alarms (code, subject) WHERE cleared_at IS NULL;
CREATE INDEX alarms_by_date ON alarms (raised_at, id);
-- Every process looks once a minute for what is wrong: these are few, whatever the tables hold.
CREATE INDEX sources_paused ON sources (id) WHERE is_active = 0 AND is_deleted = 0;
CREATE INDEX source_stats_stale ON source_stats (source_id) WHERE is_stale = 1;
CREATE INDEX edition_tasks_alarmed ON edition_tasks (alarmed_at)
    WHERE alarmed_at IS NOT NULL AND state NOT IN ('published', 'archived');

DROP TABLE outbox;
-- One row per message: a part of a digest, or a notice about an alarm. A digest's rows are made in
-- its own transaction; `sending` is committed before the request leaves. These rows are the only
-- truth about a delivery: its state is derived from its parts.
CREATE TABLE outbox (
    id {id},
    channel_id BIGINT NOT NULL REFERENCES channels (id) ON DELETE CASCADE,
    digest_id BIGINT REFERENCES digests (id) ON DELETE CASCADE,
    alarm_id BIGINT REFERENCES alarms (id) ON DELETE CASCADE,
    notice TEXT CHECK (notice IN ('raised', 'cleared')),
    part INTEGER NOT NULL CHECK (part > 0),
    parts INTEGER NOT NULL CHECK (parts >= part),
    -- The other side recognises a repetition by it, where it can.
    idempotency_key TEXT NOT NULL UNIQUE,
    payload TEXT NOT NULL,
    -- Who shares turns and rests: a chat, a mail server, a host.
    place TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'pending'
        CHECK (state IN ('pending', 'sending', 'sent', 'retry', 'uncertain', 'dead')),
    attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    -- 1: an earlier attempt may have arrived; who can read back does so before it sends.
    may_have_arrived INTEGER NOT NULL DEFAULT 0,
    not_before DOUBLE PRECISION NOT NULL,
    remote_id TEXT,
    last_error_code TEXT,
    last_error TEXT,
    claim BIGINT NOT NULL DEFAULT 0,
    lease_until DOUBLE PRECISION,
    leased_by TEXT,
    created_at DOUBLE PRECISION NOT NULL,
    updated_at DOUBLE PRECISION NOT NULL,
    sent_at DOUBLE PRECISION,
    CHECK ((digest_id IS NULL) <> (alarm_id IS NULL)),
    CHECK ((alarm_id IS NULL) = (notice IS NULL))
);
CREATE UNIQUE INDEX outbox_parts ON outbox (digest_id, channel_id, part)
    WHERE digest_id IS NOT NULL;
CREATE UNIQUE INDEX outbox_notices ON outbox (alarm_id, notice, channel_id)
    WHERE alarm_id IS NOT NULL;
CREATE INDEX outbox_queue ON outbox (not_before)
    WHERE lease_until IS NULL AND state IN ('pending', 'retry');
CREATE INDEX outbox_leases ON outbox (lease_until) WHERE lease_until IS NOT NULL;
CREATE INDEX outbox_sending ON outbox (updated_at) WHERE state = 'sending';
-- What is kept of them: sent ones lose their text, all go in the end.
CREATE INDEX outbox_sent ON outbox (sent_at) WHERE state = 'sent' AND payload <> '';
CREATE INDEX outbox_over ON outbox (updated_at) WHERE state IN ('sent', 'uncertain', 'dead');
CREATE INDEX outbox_by_channel ON outbox (channel_id, updated_at);
-- What a person must decide about.
CREATE INDEX outbox_undecided ON outbox (updated_at) WHERE state IN ('uncertain', 'dead');

-- When a place may be sent to again: the gap that it wants, or the rest that it asked for.
CREATE TABLE delivery_places (
    place TEXT PRIMARY KEY,
    next_at DOUBLE PRECISION NOT NULL
);

-- Whoever knows such a token may read its owner's editions as a feed; only hashes are kept.
CREATE TABLE feed_tokens (
    id {id},
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    token_hash {bytes} NOT NULL UNIQUE,
    created_at DOUBLE PRECISION NOT NULL,
    last_used_at DOUBLE PRECISION
);
CREATE INDEX feed_tokens_of_person ON feed_tokens (user_id);
