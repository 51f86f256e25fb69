-- What people follow, what was found there, and when to poll again.
-- Moments are seconds since 1970 in UTC (DOUBLE PRECISION), flags are 0/1, JSON is text:
-- the same values on both databases. {id}, {bytes} and {real} are the spellings that differ.

CREATE TABLE users (
    id {id},
    email TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    slug TEXT NOT NULL UNIQUE,
    role TEXT NOT NULL DEFAULT 'user' CHECK (role IN ('admin', 'user')),
    password_hash TEXT,
    oidc_issuer TEXT,
    oidc_subject TEXT,
    disabled_at DOUBLE PRECISION,
    first_login_at DOUBLE PRECISION,
    created_at DOUBLE PRECISION NOT NULL,
    updated_at DOUBLE PRECISION NOT NULL,
    UNIQUE (oidc_issuer, oidc_subject)
);

CREATE TABLE sources (
    id {id},
    name TEXT NOT NULL,
    type TEXT NOT NULL,
    config TEXT NOT NULL DEFAULT '{}',
    -- A hash of type and config: the same thing followed twice is one source (S001-17).
    identity TEXT NOT NULL,
    -- Its row in collector_execution_state is (type, param_key). NULL stands for its id;
    -- a plug-in's source has the plug-in's parameter, '' if it takes none (S003-1).
    param_key TEXT,
    -- Whose door we knock on: polls of one host are spaced, across all collectors.
    host TEXT NOT NULL DEFAULT '',
    is_active INTEGER NOT NULL DEFAULT 1,
    is_deleted INTEGER NOT NULL DEFAULT 0,
    is_public INTEGER NOT NULL DEFAULT 1,
    created_by BIGINT REFERENCES users (id) ON DELETE SET NULL,
    paused_because TEXT CHECK (paused_because IN ('errors', 'person', 'gone')),
    last_fetched_at DOUBLE PRECISION,
    fetch_count BIGINT NOT NULL DEFAULT 0,
    fetch_error_count INTEGER NOT NULL DEFAULT 0,
    last_error TEXT,
    -- What the fetcher remembers between polls (ETag, since_id); written with the items it belongs to.
    cursor TEXT NOT NULL DEFAULT '{}',
    -- 1 once source_stats has its row: keeps "never polled" findable without a scan.
    has_stats INTEGER NOT NULL DEFAULT 0,
    created_at DOUBLE PRECISION NOT NULL,
    updated_at DOUBLE PRECISION NOT NULL
);

-- Private sources may repeat what others follow in private; public ones may not.
CREATE UNIQUE INDEX sources_public_identity ON sources (identity)
    WHERE is_deleted = 0 AND is_public = 1;
CREATE UNIQUE INDEX sources_private_identity ON sources (created_by, identity)
    WHERE is_deleted = 0 AND is_public = 0;
CREATE INDEX sources_never_planned ON sources ((coalesce(last_fetched_at, 0)), id)
    WHERE has_stats = 0 AND is_active = 1 AND is_deleted = 0;
CREATE INDEX sources_by_type ON sources (type);

CREATE TABLE source_stats (
    source_id BIGINT PRIMARY KEY REFERENCES sources (id) ON DELETE CASCADE,
    source_type TEXT NOT NULL CHECK (source_type IN ('rss', 'custom')),
    frequency_type TEXT,
    cadence TEXT CHECK (cadence IN ('P0', 'P1', 'P2', 'P3', 'P4', 'P5', 'P6')),
    avg_publish_hour DOUBLE PRECISION,
    std_publish_hour DOUBLE PRECISION,
    next_due_at DOUBLE PRECISION,
    last_check_at DOUBLE PRECISION,
    last_article_at DOUBLE PRECISION,
    fail_count INTEGER NOT NULL DEFAULT 0,
    backoff_until DOUBLE PRECISION,
    last_error TEXT,
    check_count BIGINT NOT NULL DEFAULT 0,
    hit_count BIGINT NOT NULL DEFAULT 0,
    schedule_mode TEXT NOT NULL DEFAULT 'fixed'
        CHECK (schedule_mode IN ('pinned', 'fixed', 'smart')),
    because TEXT NOT NULL DEFAULT '',
    forecast {bytes},
    -- Silent far beyond its own rhythm: perhaps it moved or died.
    is_stale INTEGER NOT NULL DEFAULT 0,
    -- Who holds the source now. The claim number fences off late results (decision 0003).
    claim BIGINT NOT NULL DEFAULT 0,
    lease_until DOUBLE PRECISION,
    leased_by TEXT,
    created_at DOUBLE PRECISION NOT NULL,
    updated_at DOUBLE PRECISION NOT NULL
);

CREATE INDEX source_stats_next_due ON source_stats (next_due_at);
CREATE INDEX source_stats_type ON source_stats (source_type);
-- The queue: only free sources are in it, so a claim never wades through held ones.
CREATE INDEX source_stats_queue ON source_stats (next_due_at) WHERE lease_until IS NULL;
CREATE INDEX source_stats_leases ON source_stats (lease_until) WHERE lease_until IS NOT NULL;

-- Hosts that asked us to wait (429, Retry-After), known to every collector.
CREATE TABLE host_cooldowns (
    host TEXT PRIMARY KEY,
    until DOUBLE PRECISION NOT NULL,
    because TEXT NOT NULL
);

CREATE TABLE raw_items (
    id {id},
    source_id BIGINT NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
    title TEXT NOT NULL,
    url TEXT,
    author TEXT,
    content TEXT NOT NULL DEFAULT '',
    fetched_at DOUBLE PRECISION NOT NULL,
    published_at DOUBLE PRECISION,
    dedup_key TEXT NOT NULL,
    metadata TEXT NOT NULL DEFAULT '{}',
    UNIQUE (source_id, dedup_key)
);

CREATE INDEX raw_items_fetched ON raw_items (fetched_at);
CREATE INDEX raw_items_by_source ON raw_items (source_id, fetched_at);

-- Outlives the 30-day clean-up of raw_items, so that an old entry a feed still lists
-- is not new again (settled question 5).
CREATE TABLE seen_items (
    source_id BIGINT NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
    dedup_key TEXT NOT NULL,
    published_at DOUBLE PRECISION,
    first_seen_at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (source_id, dedup_key)
);

CREATE INDEX seen_items_recent ON seen_items (source_id, published_at);

CREATE TABLE collector_execution_state (
    collector_name TEXT NOT NULL,
    param_key TEXT NOT NULL DEFAULT '',
    last_execution_time {real} NOT NULL,
    created_at {real} NOT NULL,
    updated_at {real} NOT NULL,
    execution_count BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (collector_name, param_key)
);

CREATE INDEX collector_execution_state_time
    ON collector_execution_state (collector_name, last_execution_time);

-- Why execution states could not be kept, for the metrics (S003-9).
CREATE TABLE collector_state_failures (
    reason TEXT PRIMARY KEY,
    failures BIGINT NOT NULL,
    last_at DOUBLE PRECISION NOT NULL
);

CREATE TABLE fetch_log (
    id {id},
    source_id BIGINT NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
    planned_at DOUBLE PRECISION,
    started_at DOUBLE PRECISION NOT NULL,
    finished_at DOUBLE PRECISION NOT NULL,
    outcome TEXT NOT NULL
        CHECK (outcome IN ('new', 'unchanged', 'failed', 'postponed', 'skipped')),
    inserted INTEGER NOT NULL DEFAULT 0,
    reason TEXT,
    detail TEXT,
    worker TEXT NOT NULL
);

CREATE INDEX fetch_log_started ON fetch_log (started_at);
CREATE INDEX fetch_log_by_source ON fetch_log (source_id, started_at);

CREATE TABLE config (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL,
    updated_at DOUBLE PRECISION NOT NULL
);
