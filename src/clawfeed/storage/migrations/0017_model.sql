-- What a language model said and what it cost.

-- Answers by what was asked: a hash of the texts, the language, the model and the prompt's version. Whoever has the
-- same question finds the same words, whichever edition paid for them.
CREATE TABLE model_answers (
    key TEXT PRIMARY KEY,
    model TEXT NOT NULL,
    answer TEXT NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    used_at DOUBLE PRECISION NOT NULL
);

CREATE INDEX model_answers_by_use ON model_answers (used_at);

-- One row a month (UTC), locked by whoever reserves: what was spent, and what calls under way may yet cost.
CREATE TABLE model_months (
    month TEXT PRIMARY KEY,
    tokens BIGINT NOT NULL DEFAULT 0,
    cost_micros BIGINT NOT NULL DEFAULT 0,
    -- When the cap was first met, so that it is told once.
    capped_at DOUBLE PRECISION
);

-- One row a call. `reserved` holds the worst case until the answer's own figures settle it, for ever if its process
-- died: the answer may have been billed. `remembered` cost nothing.
CREATE TABLE model_calls (
    id {id},
    month TEXT NOT NULL,
    task_id BIGINT REFERENCES edition_tasks (id) ON DELETE SET NULL,
    state TEXT NOT NULL CHECK (state IN ('reserved', 'settled', 'remembered')),
    model TEXT NOT NULL,
    tokens BIGINT NOT NULL,
    cost_micros BIGINT NOT NULL,
    at DOUBLE PRECISION NOT NULL
);

CREATE INDEX model_calls_by_task ON model_calls (task_id);
CREATE INDEX model_calls_by_time ON model_calls (at);
