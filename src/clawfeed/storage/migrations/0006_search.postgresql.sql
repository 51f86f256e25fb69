-- What items are found by. Filled beside the collecting, so a poll costs no more than before.

CREATE TABLE item_search (
    item_id BIGINT PRIMARY KEY REFERENCES raw_items (id) ON DELETE CASCADE,
    words TSVECTOR NOT NULL
);

CREATE INDEX item_search_words ON item_search USING gin (words);

-- How far the index got: one row.
CREATE TABLE search_progress (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    up_to BIGINT NOT NULL
);

INSERT INTO search_progress (id, up_to) VALUES (1, 0);
