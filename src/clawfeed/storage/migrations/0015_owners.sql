-- A private source that was added by command belonged to nobody: it was polled, and no account saw
-- it. It is the first admin's now, as what is added so today, and they follow it; once, if they have
-- the same already or it was there twice.

UPDATE sources SET is_deleted = 1
WHERE is_public = 0 AND created_by IS NULL AND is_deleted = 0
  AND EXISTS (
    SELECT 1 FROM sources o
    WHERE o.identity = sources.identity AND o.is_public = 0 AND o.is_deleted = 0
      AND ((o.created_by IS NULL AND o.id < sources.id) OR o.created_by = (
        SELECT min(id) FROM users WHERE role = 'admin' AND disabled_at IS NULL
      ))
  );

INSERT INTO user_subscriptions (user_id, source_id, created_at)
SELECT u.id, s.id, s.created_at FROM sources s CROSS JOIN users u
WHERE s.is_public = 0 AND s.created_by IS NULL AND s.is_deleted = 0
  AND u.id = (SELECT min(id) FROM users WHERE role = 'admin' AND disabled_at IS NULL)
  AND NOT EXISTS (
    SELECT 1 FROM user_subscriptions f WHERE f.user_id = u.id AND f.source_id = s.id
  );

UPDATE sources SET created_by = (
    SELECT min(id) FROM users WHERE role = 'admin' AND disabled_at IS NULL
)
WHERE is_public = 0 AND created_by IS NULL AND is_deleted = 0;
