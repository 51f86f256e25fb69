-- Who let us read their own X (S001-20). The tokens must be readable, for X wants the very texts:
-- a table of their own, which only `storage/people/x_authorisations.py` reads and nothing shows.

CREATE TABLE x_authorisations (
    user_id BIGINT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    x_user_id TEXT NOT NULL,
    handle TEXT NOT NULL,
    scopes TEXT NOT NULL,
    access_token TEXT NOT NULL,
    -- Good for one renewal: whoever stores a new pair names the one that it was made from.
    refresh_token TEXT,
    expires_at DOUBLE PRECISION NOT NULL,
    -- Until when somebody is renewing it, by the database's clock; NULL while nobody is.
    renewing_until DOUBLE PRECISION,
    ended_because TEXT CHECK (ended_because IN ('refused', 'expired')),
    authorised_at DOUBLE PRECISION NOT NULL,
    updated_at DOUBLE PRECISION NOT NULL
);

-- An authorisation under way: one of a person's at a time, finished once, by the session that began it.
CREATE TABLE x_flows (
    state_hash {bytes} PRIMARY KEY,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    -- NULL: begun with an API key, to be finished in any session of that person.
    session_id BIGINT REFERENCES sessions (id) ON DELETE CASCADE,
    code_verifier TEXT NOT NULL,
    expires_at DOUBLE PRECISION NOT NULL
);

CREATE INDEX x_flows_by_user ON x_flows (user_id);

-- What belongs to one person was shown to all until now. One that nobody owns is the first admin's,
-- unless they have it already.
UPDATE sources SET is_deleted = 1
WHERE type IN ('twitter_foryou', 'twitter_bookmarks', 'twitter_favorites')
  AND is_public = 1 AND is_deleted = 0
  AND EXISTS (
    SELECT 1 FROM sources o
    WHERE o.identity = sources.identity AND o.is_public = 0 AND o.is_deleted = 0
      AND o.created_by = coalesce(sources.created_by, (
        SELECT min(id) FROM users WHERE role = 'admin' AND disabled_at IS NULL
      ))
  );

UPDATE sources SET is_public = 0, created_by = coalesce(created_by, (
    SELECT min(id) FROM users WHERE role = 'admin' AND disabled_at IS NULL
))
WHERE type IN ('twitter_foryou', 'twitter_bookmarks', 'twitter_favorites')
  AND is_public = 1 AND is_deleted = 0;
