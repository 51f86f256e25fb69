-- Readers' own editions: how each wants them, which set of sources they share, what they care about.

-- No row: the house's language and zone, at the usual hour.
CREATE TABLE reader_settings (
    user_id BIGINT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    language TEXT NOT NULL DEFAULT 'en',
    zone TEXT NOT NULL DEFAULT 'UTC',
    -- The local time by which their editions are there, as HH:MM.
    edition_time TEXT NOT NULL DEFAULT '07:30',
    updated_at DOUBLE PRECISION NOT NULL
);

-- Which types of editions a reader gets, and when the next of each is to be made: a queue.
CREATE TABLE reader_editions (
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    type TEXT NOT NULL CHECK (type IN ('4h', 'daily', 'weekly', 'monthly')),
    is_wanted INTEGER NOT NULL DEFAULT 1,
    next_due_at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (user_id, type)
);

CREATE INDEX reader_editions_queue ON reader_editions (next_due_at) WHERE is_wanted = 1;

-- What stands behind the name of a scope. Equal sets of sources, read in the same language, zone and
-- hour, are one scope; whoever has interests or votes has a scope of their own (`reader_id`).
CREATE TABLE edition_scopes (
    scope TEXT PRIMARY KEY,
    subscription_hash TEXT NOT NULL,
    -- A JSON array of ids, as they were when the scope was last used: an edition in the making must
    -- not show a source that one of its readers added since.
    source_ids TEXT NOT NULL,
    reader_id BIGINT REFERENCES users (id) ON DELETE CASCADE,
    has_private_source INTEGER NOT NULL DEFAULT 0,
    -- The scope its first reader had before: what was told there is not news here.
    parent TEXT,
    created_at DOUBLE PRECISION NOT NULL,
    updated_at DOUBLE PRECISION NOT NULL
);

-- Whom an edition is made for. The system's is everybody's and has none.
CREATE TABLE edition_readers (
    task_id BIGINT NOT NULL REFERENCES edition_tasks (id) ON DELETE CASCADE,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    PRIMARY KEY (task_id, user_id)
);

CREATE INDEX edition_readers_by_user ON edition_readers (user_id, task_id);

-- What a reader wants more of (topics and words, with weights) and nothing of (muted words).
CREATE TABLE interests (
    id {id},
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('topic', 'word', 'muted')),
    text TEXT NOT NULL,
    weight DOUBLE PRECISION NOT NULL DEFAULT 1,
    created_at DOUBLE PRECISION NOT NULL,
    UNIQUE (user_id, kind, text)
);

-- More or less like this. A vote outlives its story: the headline says what it was about.
CREATE TABLE story_votes (
    id {id},
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    story_id BIGINT REFERENCES stories (id) ON DELETE SET NULL,
    headline TEXT NOT NULL,
    vote INTEGER NOT NULL CHECK (vote IN (-1, 1)),
    created_at DOUBLE PRECISION NOT NULL,
    UNIQUE (user_id, story_id)
);

CREATE INDEX story_votes_by_story ON story_votes (story_id);

-- In which words and whose time an edition is written, and what it was chosen from.
ALTER TABLE edition_tasks ADD COLUMN language TEXT NOT NULL DEFAULT 'en';
ALTER TABLE edition_tasks ADD COLUMN zone TEXT NOT NULL DEFAULT 'UTC';
ALTER TABLE edition_tasks ADD COLUMN item_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE edition_tasks ADD COLUMN source_count INTEGER NOT NULL DEFAULT 0;
-- How many stories were left out, by reason: JSON. The best of them are in edition_candidates.
ALTER TABLE edition_tasks ADD COLUMN left_out TEXT NOT NULL DEFAULT '{}';

-- What is put into words: the story's section, why it is in, and its texts as they were chosen (JSON).
ALTER TABLE edition_articles ADD COLUMN section TEXT NOT NULL DEFAULT 'noteworthy';
ALTER TABLE edition_articles ADD COLUMN reason TEXT NOT NULL DEFAULT '{}';
ALTER TABLE edition_articles ADD COLUMN what_changed TEXT;
ALTER TABLE edition_articles ADD COLUMN material TEXT NOT NULL DEFAULT '{}';
ALTER TABLE edition_articles ADD COLUMN fingerprint TEXT NOT NULL DEFAULT '';
