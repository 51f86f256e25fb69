-- What items are found by. Filled beside the collecting, so a poll costs no more than before.

-- The words are kept besides their index: a table without them cannot forget a row before
-- SQLite 3.43, and Python may bring an older one. `ascii` cuts only where we already did.
CREATE VIRTUAL TABLE item_search USING fts5(words, tokenize = 'ascii', detail = none, columnsize = 0);

CREATE TRIGGER raw_items_forgotten AFTER DELETE ON raw_items BEGIN DELETE FROM item_search WHERE rowid = OLD.id; END;

-- How far the index got: one row.
CREATE TABLE search_progress (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    up_to BIGINT NOT NULL
);

INSERT INTO search_progress (id, up_to) VALUES (1, 0);
