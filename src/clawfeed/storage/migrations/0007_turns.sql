-- When a source was due before it had to wait for its host's turn; NULL unless it waits. Its date
-- moves on with the queue, its place in it must not: who comes due later is served later.

ALTER TABLE source_stats ADD COLUMN waiting_since DOUBLE PRECISION;

-- How often in a row the server said "gone for good" (410). One such answer among others is a slip.
ALTER TABLE source_stats ADD COLUMN gone_count INTEGER NOT NULL DEFAULT 0;
