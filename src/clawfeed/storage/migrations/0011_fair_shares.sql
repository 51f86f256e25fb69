-- How long the last poll kept its slot: who is slow gets only some of the slots while others wait.
ALTER TABLE source_stats ADD COLUMN poll_seconds DOUBLE PRECISION NOT NULL DEFAULT 0;

-- Which collector was last given sources of a host, and when. The next one keeps the gap to it.
CREATE TABLE host_visits (
    host TEXT PRIMARY KEY,
    worker TEXT NOT NULL,
    at DOUBLE PRECISION NOT NULL
);

-- What was stored today (UTC): of a source, and of all private sources of a person.
CREATE TABLE stored_today (
    whose TEXT NOT NULL CHECK (whose IN ('source', 'person')),
    id BIGINT NOT NULL,
    day BIGINT NOT NULL,
    items BIGINT NOT NULL,
    bytes BIGINT NOT NULL,
    PRIMARY KEY (whose, id)
);
