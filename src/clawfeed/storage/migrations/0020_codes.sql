-- Codes where sentences stood, one spelling of a lease, and no column that nobody reads.

-- Who did what is a code; pages have words for it, in the reader's language.
UPDATE audit_log SET action = CASE action
    WHEN 'signed in' THEN 'signed_in'
    WHEN 'sign-in failed' THEN 'sign_in_failed'
    WHEN 'signed out' THEN 'signed_out'
    WHEN 'signed out everywhere' THEN 'signed_out_everywhere'
    WHEN 'password set by link' THEN 'password_set'
    WHEN 'password changed' THEN 'password_changed'
    WHEN 'registered' THEN 'registered'
    WHEN 'session revoked' THEN 'session_revoked'
    WHEN 'API key created' THEN 'key_created'
    WHEN 'API key revoked' THEN 'key_revoked'
    WHEN 'feed token created' THEN 'feed_token_created'
    WHEN 'feed token revoked' THEN 'feed_token_revoked'
    WHEN 'user added' THEN 'user_added'
    WHEN 'user changed' THEN 'user_changed'
    WHEN 'X authorised' THEN 'x_authorised'
    WHEN 'X authorisation revoked' THEN 'x_revoked'
    WHEN 'sources merged' THEN 'sources_merged'
    WHEN 'source split' THEN 'source_split'
    WHEN 'source renamed' THEN 'source_renamed'
    WHEN 'edition moved' THEN 'edition_moved'
    WHEN 'message moved' THEN 'message_moved'
    WHEN 'setting changed' THEN 'setting_changed'
    ELSE action END;

-- What kept an edition from its next step is a code with fine print, as it is of channels.
ALTER TABLE edition_tasks ADD COLUMN last_error_code TEXT;
UPDATE edition_tasks SET last_error_code = 'other' WHERE last_error IS NOT NULL;
UPDATE edition_articles SET last_error_code = 'other' WHERE last_error IS NOT NULL;

-- What a person did stands in the audit log alone, written in the transaction that did it.
ALTER TABLE edition_tasks DROP COLUMN person_move;
ALTER TABLE edition_tasks DROP COLUMN moved_by;
ALTER TABLE edition_tasks DROP COLUMN moved_at;

-- Who renews tokens of X holds a lease as everybody does; whoever renews them now asks again.
ALTER TABLE x_authorisations DROP COLUMN renewing_until;
ALTER TABLE x_authorisations ADD COLUMN claim BIGINT NOT NULL DEFAULT 0;
ALTER TABLE x_authorisations ADD COLUMN lease_until DOUBLE PRECISION;
ALTER TABLE x_authorisations ADD COLUMN leased_by TEXT;
CREATE INDEX x_authorisations_leases ON x_authorisations (lease_until)
    WHERE lease_until IS NOT NULL;

-- Nobody reads these. A digest keeps the hash of the sources it was made from (S001-19).
ALTER TABLE edition_candidates DROP COLUMN dropped_detail;
ALTER TABLE digests DROP COLUMN metadata;
ALTER TABLE edition_scopes DROP COLUMN subscription_hash;
ALTER TABLE edition_scopes DROP COLUMN parent;
ALTER TABLE model_answers DROP COLUMN model;
