-- Editions: the job that makes one (a durable state machine), the result, and its way out.

CREATE TABLE edition_tasks (
    id {id},
    -- Settled question 12: one job table keyed by kind, scope, type and period.
    kind TEXT NOT NULL,
    scope TEXT NOT NULL,
    type TEXT NOT NULL CHECK (type IN ('4h', 'daily', 'weekly', 'monthly')),
    period TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'init' CHECK (
        state IN ('init', 'list_fetched', 'processing', 'aggregating', 'published', 'archived')
    ),
    archived_from TEXT,
    batch_index INTEGER NOT NULL DEFAULT 0,
    batch_size INTEGER NOT NULL,
    total_articles INTEGER NOT NULL DEFAULT 0,
    last_error TEXT,
    claim BIGINT NOT NULL DEFAULT 0,
    lease_until DOUBLE PRECISION,
    created_at DOUBLE PRECISION NOT NULL,
    updated_at DOUBLE PRECISION NOT NULL,
    published_at DOUBLE PRECISION,
    UNIQUE (kind, scope, type, period)
);

CREATE INDEX edition_tasks_unfinished ON edition_tasks (created_at)
    WHERE state NOT IN ('published', 'archived');

CREATE TABLE edition_articles (
    id {id},
    task_id BIGINT NOT NULL REFERENCES edition_tasks (id) ON DELETE CASCADE,
    raw_item_id BIGINT REFERENCES raw_items (id) ON DELETE SET NULL,
    position INTEGER NOT NULL,
    state TEXT NOT NULL DEFAULT 'pending'
        CHECK (state IN ('pending', 'processing', 'completed', 'failed')),
    retry_count INTEGER NOT NULL DEFAULT 0,
    lease_until DOUBLE PRECISION,
    result TEXT,
    last_error TEXT,
    updated_at DOUBLE PRECISION NOT NULL,
    UNIQUE (task_id, position)
);

CREATE INDEX edition_articles_by_state ON edition_articles (task_id, state, position);

CREATE TABLE edition_batches (
    id {id},
    task_id BIGINT NOT NULL REFERENCES edition_tasks (id) ON DELETE CASCADE,
    batch_index INTEGER NOT NULL,
    article_count INTEGER NOT NULL,
    started_at DOUBLE PRECISION NOT NULL,
    duration_seconds DOUBLE PRECISION NOT NULL,
    outcome TEXT NOT NULL CHECK (outcome IN ('success', 'partial', 'failed'))
);

CREATE INDEX edition_batches_by_task ON edition_batches (task_id, batch_index);

CREATE TABLE digests (
    id {id},
    task_id BIGINT REFERENCES edition_tasks (id) ON DELETE SET NULL,
    scope TEXT NOT NULL,
    subscription_hash TEXT,
    type TEXT NOT NULL CHECK (type IN ('4h', 'daily', 'weekly', 'monthly')),
    period TEXT NOT NULL,
    title TEXT NOT NULL,
    content TEXT NOT NULL,
    metadata TEXT NOT NULL DEFAULT '{}',
    created_at DOUBLE PRECISION NOT NULL,
    published_at DOUBLE PRECISION,
    UNIQUE (scope, type, period)
);

CREATE INDEX digests_recent ON digests (type, created_at);

-- One row per digest and channel: what people see, and what is retried (S002-17).
CREATE TABLE deliveries (
    id {id},
    digest_id BIGINT NOT NULL REFERENCES digests (id) ON DELETE CASCADE,
    channel TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'pending'
        CHECK (state IN ('pending', 'partial', 'sent', 'uncertain', 'failed')),
    attempts INTEGER NOT NULL DEFAULT 0,
    last_error TEXT,
    created_at DOUBLE PRECISION NOT NULL,
    updated_at DOUBLE PRECISION NOT NULL,
    UNIQUE (digest_id, channel)
);

-- One row per message: `sending` is committed before the request leaves (decision 0003).
CREATE TABLE outbox (
    id {id},
    digest_id BIGINT NOT NULL REFERENCES digests (id) ON DELETE CASCADE,
    channel TEXT NOT NULL,
    part INTEGER NOT NULL,
    idempotency_key TEXT NOT NULL UNIQUE,
    payload TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'pending'
        CHECK (state IN ('pending', 'sending', 'sent', 'retry', 'uncertain', 'dead')),
    attempts INTEGER NOT NULL DEFAULT 0,
    claim BIGINT NOT NULL DEFAULT 0,
    lease_until DOUBLE PRECISION,
    not_before DOUBLE PRECISION,
    remote_id TEXT,
    last_error TEXT,
    created_at DOUBLE PRECISION NOT NULL,
    updated_at DOUBLE PRECISION NOT NULL,
    UNIQUE (digest_id, channel, part)
);

CREATE INDEX outbox_waiting ON outbox (not_before) WHERE state IN ('pending', 'sending', 'retry');
