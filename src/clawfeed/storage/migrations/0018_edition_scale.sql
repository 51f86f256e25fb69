-- What ten thousand readers ask of editions, found without reading all of them.

-- A reader's list is the system's editions and their own, the newest first.
CREATE INDEX digests_of_scope ON digests (scope, id);
-- A trigger looks at what is unfinished, held by somebody or not; an operator pages through all.
DROP INDEX edition_tasks_queue;
CREATE INDEX edition_tasks_queue ON edition_tasks (due_at)
    WHERE state NOT IN ('published', 'archived');
CREATE INDEX edition_tasks_by_date ON edition_tasks (due_at, id);

-- 1 until candidates, texts and batches of the edition were cleared away.
ALTER TABLE edition_tasks ADD COLUMN has_workings INTEGER NOT NULL DEFAULT 1;
CREATE INDEX edition_tasks_workings ON edition_tasks (updated_at) WHERE has_workings = 1;
CREATE INDEX stories_by_age ON stories (last_seen_at);
CREATE INDEX edition_scopes_by_age ON edition_scopes (updated_at);

-- Counted where they are made: single calls are forgotten after a year, and counting them took seconds.
ALTER TABLE model_months ADD COLUMN calls BIGINT NOT NULL DEFAULT 0;
ALTER TABLE model_months ADD COLUMN remembered BIGINT NOT NULL DEFAULT 0;
INSERT INTO model_months (month) SELECT DISTINCT month FROM model_calls WHERE true
    ON CONFLICT (month) DO NOTHING;
UPDATE model_months SET
    calls = (
        SELECT count(*) FROM model_calls c
        WHERE c.month = model_months.month AND c.state <> 'remembered'
    ),
    remembered = (
        SELECT count(*) FROM model_calls c
        WHERE c.month = model_months.month AND c.state = 'remembered'
    );
CREATE INDEX model_calls_reserved ON model_calls (month, at) WHERE state = 'reserved';
