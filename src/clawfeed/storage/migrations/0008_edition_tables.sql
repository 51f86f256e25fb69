-- Editions: the job that makes one, the stories it tells, the result, and its way out (decision 0009).

-- What the first 0003_editions made, always empty.
DROP TABLE IF EXISTS outbox;
DROP TABLE IF EXISTS deliveries;
DROP TABLE IF EXISTS digests;
DROP TABLE IF EXISTS edition_batches;
DROP TABLE IF EXISTS edition_articles;
DROP TABLE IF EXISTS edition_tasks;

CREATE TABLE edition_tasks (
    id {id},
    -- Settled question 12: one job table keyed by kind, scope, type and period. Whatever makes two
    -- readers' editions differ (sources, interests, zone, language) is in the name of the scope.
    kind TEXT NOT NULL,
    scope TEXT NOT NULL,
    type TEXT NOT NULL CHECK (type IN ('4h', 'daily', 'weekly', 'monthly')),
    period TEXT NOT NULL,
    -- Which items it chooses from: fetched at `covers_from` or later, before `covers_until`.
    covers_from DOUBLE PRECISION NOT NULL,
    covers_until DOUBLE PRECISION NOT NULL,
    -- Made from `due_at` on; archived at `expires_at` if it is not published by then (S002-13).
    due_at DOUBLE PRECISION NOT NULL,
    expires_at DOUBLE PRECISION NOT NULL,
    state TEXT NOT NULL DEFAULT 'init' CHECK (
        state IN ('init', 'list_fetched', 'processing', 'aggregating', 'published', 'archived')
    ),
    archived_from TEXT CHECK (
        archived_from IN ('init', 'list_fetched', 'processing', 'aggregating')
    ),
    archived_because TEXT CHECK (archived_because IN ('expired', 'no_items')),
    batch_index INTEGER NOT NULL DEFAULT 0 CHECK (batch_index >= 0),
    batch_size INTEGER NOT NULL CHECK (batch_size > 0),
    -- What the two hours of S002-12 are counted from, and when the alarm rang: once.
    started_at DOUBLE PRECISION NOT NULL,
    alarmed_at DOUBLE PRECISION,
    published_at DOUBLE PRECISION,
    last_error TEXT,
    -- The last time a person took a hand in it. The whole history is in the audit log.
    person_move TEXT CHECK (person_move IN ('reset', 'reopen', 'force_publish', 'retry_failed')),
    moved_by BIGINT REFERENCES users (id) ON DELETE SET NULL,
    moved_at DOUBLE PRECISION,
    claim BIGINT NOT NULL DEFAULT 0,
    lease_until DOUBLE PRECISION,
    leased_by TEXT,
    created_at DOUBLE PRECISION NOT NULL,
    updated_at DOUBLE PRECISION NOT NULL,
    UNIQUE (kind, scope, type, period),
    CHECK (covers_from < covers_until),
    CHECK (due_at < expires_at),
    CHECK ((state = 'published') = (published_at IS NOT NULL)),
    CHECK ((state = 'archived') = (archived_from IS NOT NULL)),
    CHECK ((state = 'archived') = (archived_because IS NOT NULL))
);

-- The queue: only what is unfinished and free is in it.
CREATE INDEX edition_tasks_queue ON edition_tasks (due_at)
    WHERE lease_until IS NULL AND state NOT IN ('published', 'archived');
CREATE INDEX edition_tasks_leases ON edition_tasks (lease_until) WHERE lease_until IS NOT NULL;

-- One happening as one scope's readers know it, for as long as it is told. A scope's stories are
-- its own: a private source must not show in somebody else's edition.
CREATE TABLE stories (
    id {id},
    scope TEXT NOT NULL,
    title TEXT NOT NULL,
    lead TEXT NOT NULL DEFAULT '',
    first_seen_at DOUBLE PRECISION NOT NULL,
    last_seen_at DOUBLE PRECISION NOT NULL,
    CHECK (first_seen_at <= last_seen_at)
);

CREATE INDEX stories_recent ON stories (scope, last_seen_at);

CREATE TABLE story_items (
    story_id BIGINT NOT NULL REFERENCES stories (id) ON DELETE CASCADE,
    raw_item_id BIGINT NOT NULL REFERENCES raw_items (id) ON DELETE CASCADE,
    added_at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (story_id, raw_item_id)
);

CREATE INDEX story_items_by_item ON story_items (raw_item_id);

-- Every story an edition considered, with the parts of its score. Chosen ones have no reason why not.
CREATE TABLE edition_candidates (
    task_id BIGINT NOT NULL REFERENCES edition_tasks (id) ON DELETE CASCADE,
    story_id BIGINT NOT NULL REFERENCES stories (id) ON DELETE CASCADE,
    score DOUBLE PRECISION NOT NULL,
    score_parts TEXT NOT NULL DEFAULT '{}',
    dropped_because TEXT,
    dropped_detail TEXT NOT NULL DEFAULT '{}',
    PRIMARY KEY (task_id, story_id)
);

CREATE INDEX edition_candidates_by_story ON edition_candidates (story_id);

-- The chosen stories, to be put into words. A late answer meets a newer claim and changes nothing.
CREATE TABLE edition_articles (
    id {id},
    task_id BIGINT NOT NULL REFERENCES edition_tasks (id) ON DELETE CASCADE,
    story_id BIGINT NOT NULL REFERENCES stories (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    batch_index INTEGER,
    state TEXT NOT NULL DEFAULT 'pending'
        CHECK (state IN ('pending', 'processing', 'completed', 'failed')),
    retry_count INTEGER NOT NULL DEFAULT 0 CHECK (retry_count >= 0),
    claim BIGINT NOT NULL DEFAULT 0,
    lease_until DOUBLE PRECISION,
    leased_by TEXT,
    result TEXT,
    last_error_code TEXT,
    last_error TEXT,
    updated_at DOUBLE PRECISION NOT NULL,
    UNIQUE (task_id, position),
    UNIQUE (task_id, story_id),
    CHECK (state <> 'completed' OR result IS NOT NULL)
);

CREATE INDEX edition_articles_queue ON edition_articles (task_id, position)
    WHERE state = 'pending' AND lease_until IS NULL;
CREATE INDEX edition_articles_leases ON edition_articles (lease_until)
    WHERE lease_until IS NOT NULL;
CREATE INDEX edition_articles_by_story ON edition_articles (story_id);

-- A row per batch (S002-16), written when it begins; outcome and duration come when it ends.
CREATE TABLE edition_batches (
    task_id BIGINT NOT NULL REFERENCES edition_tasks (id) ON DELETE CASCADE,
    batch_index INTEGER NOT NULL CHECK (batch_index > 0),
    article_count INTEGER NOT NULL CHECK (article_count > 0),
    started_at DOUBLE PRECISION NOT NULL,
    duration_seconds DOUBLE PRECISION,
    outcome TEXT CHECK (outcome IN ('success', 'partial', 'failed')),
    PRIMARY KEY (task_id, batch_index),
    CHECK ((outcome IS NULL) = (duration_seconds IS NULL))
);

-- A batch begins when the one before has ended (S002-10).
CREATE UNIQUE INDEX edition_batches_open ON edition_batches (task_id) WHERE outcome IS NULL;

-- A finished edition: structured content, rendered when read. When it was published is its task's.
CREATE TABLE digests (
    id {id},
    task_id BIGINT UNIQUE REFERENCES edition_tasks (id) ON DELETE SET NULL,
    kind TEXT NOT NULL,
    scope TEXT NOT NULL,
    subscription_hash TEXT,
    type TEXT NOT NULL CHECK (type IN ('4h', 'daily', 'weekly', 'monthly')),
    period TEXT NOT NULL,
    language TEXT NOT NULL DEFAULT 'en',
    title TEXT NOT NULL,
    content TEXT NOT NULL,
    metadata TEXT NOT NULL DEFAULT '{}',
    created_at DOUBLE PRECISION NOT NULL,
    UNIQUE (kind, scope, type, period)
);

CREATE INDEX digests_recent ON digests (scope, type, created_at);

-- A story's timeline: which edition told it, and what it said. The same fingerprint is old news.
CREATE TABLE story_tellings (
    story_id BIGINT NOT NULL REFERENCES stories (id) ON DELETE CASCADE,
    digest_id BIGINT NOT NULL REFERENCES digests (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    headline TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    what_changed TEXT NOT NULL DEFAULT '',
    told_at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (story_id, digest_id)
);

CREATE INDEX story_tellings_by_digest ON story_tellings (digest_id, position);
CREATE INDEX story_tellings_timeline ON story_tellings (story_id, told_at);

-- Where editions go: a person's channel, or the system's (no owner). Two readers of one edition
-- have a channel each. `kind` is open: the registry of `publish` knows which there are.
CREATE TABLE channels (
    id {id},
    owner_id BIGINT REFERENCES users (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    -- Whom or where: a chat, a mailbox, a repository. Shown to the owner.
    address TEXT NOT NULL DEFAULT '',
    config TEXT NOT NULL DEFAULT '{}',
    state TEXT NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'paused')),
    paused_because TEXT CHECK (paused_because IN ('person', 'failed')),
    last_error_code TEXT,
    last_error TEXT,
    -- A JSON array of types; local times as HH:MM in `zone`. No time: as soon as it is ready.
    edition_types TEXT NOT NULL DEFAULT '["daily"]',
    deliver_at TEXT,
    quiet_from TEXT,
    quiet_until TEXT,
    zone TEXT NOT NULL DEFAULT 'UTC',
    language TEXT NOT NULL DEFAULT 'en',
    created_at DOUBLE PRECISION NOT NULL,
    updated_at DOUBLE PRECISION NOT NULL,
    CHECK ((state = 'paused') = (paused_because IS NOT NULL)),
    CHECK ((quiet_from IS NULL) = (quiet_until IS NULL))
);

-- The same place twice would get every edition twice.
CREATE UNIQUE INDEX channels_of_person ON channels (owner_id, kind, address)
    WHERE owner_id IS NOT NULL;
CREATE UNIQUE INDEX channels_of_system ON channels (kind, address) WHERE owner_id IS NULL;

-- Tokens and passwords, sealed with a key that is not in the database. A table of its own: whoever
-- lists channels cannot read one by accident; only the sender opens it.
CREATE TABLE channel_secrets (
    channel_id BIGINT PRIMARY KEY REFERENCES channels (id) ON DELETE CASCADE,
    sealed {bytes} NOT NULL,
    key_id TEXT NOT NULL,
    updated_at DOUBLE PRECISION NOT NULL
);

-- One row per message, in the digest's own transaction; `sending` is committed before the request
-- leaves. These rows are the only truth about a delivery: its state is derived from its parts.
CREATE TABLE outbox (
    id {id},
    digest_id BIGINT NOT NULL REFERENCES digests (id) ON DELETE CASCADE,
    channel_id BIGINT NOT NULL REFERENCES channels (id) ON DELETE CASCADE,
    part INTEGER NOT NULL CHECK (part > 0),
    idempotency_key TEXT NOT NULL UNIQUE,
    payload TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'pending'
        CHECK (state IN ('pending', 'sending', 'sent', 'retry', 'uncertain', 'dead')),
    attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    not_before DOUBLE PRECISION NOT NULL,
    remote_id TEXT,
    last_error_code TEXT,
    last_error TEXT,
    claim BIGINT NOT NULL DEFAULT 0,
    lease_until DOUBLE PRECISION,
    leased_by TEXT,
    created_at DOUBLE PRECISION NOT NULL,
    updated_at DOUBLE PRECISION NOT NULL,
    UNIQUE (digest_id, channel_id, part)
);

CREATE INDEX outbox_queue ON outbox (not_before)
    WHERE lease_until IS NULL AND state IN ('pending', 'retry');
CREATE INDEX outbox_leases ON outbox (lease_until) WHERE lease_until IS NOT NULL;
CREATE INDEX outbox_by_channel ON outbox (channel_id, updated_at);
-- What a person must decide about.
CREATE INDEX outbox_undecided ON outbox (updated_at) WHERE state IN ('uncertain', 'dead');
