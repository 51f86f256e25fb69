-- Reasons are codes with parameters now (domain/because.py). The sentences of before become the
-- codes that they said; the few with figures that nothing goes by are replaced at the next poll.

UPDATE source_stats SET because = CASE
    WHEN because LIKE 'every % min (the usual for %)' THEN
        replace(replace(replace(because,
            'every ', '{"minutes":'),
            ' min (the usual for ', ',"rule":"type_interval","type":"'),
            ')', '"}')
    WHEN because LIKE 'every % min (source''s own interval)' THEN
        replace(replace(because,
            'every ', '{"minutes":'),
            ' min (source''s own interval)', ',"rule":"own_interval"}')
    WHEN because LIKE 'every % min (FETCH_INTERVAL_%)' THEN
        replace(replace(replace(because,
            'every ', '{"minutes":'),
            ' min (', ',"rule":"interval_setting","setting":"'),
            ')', '"}')
    WHEN because LIKE 'backing off after failure % in a row' THEN
        replace(replace(because,
            'backing off after failure ', '{"failures":'),
            ' in a row', ',"rule":"back_off"}')
    WHEN because = 'waiting for a working login' THEN '{"rule":"auth_required"}'
    WHEN because = 'the server said we come too often' THEN '{"rule":"rate_limited"}'
    WHEN because = 'the server refused us' THEN '{"rule":"forbidden"}'
    WHEN because = 'our own network is down' THEN '{"rule":"offline"}'
    WHEN because = 'waiting for its turn' THEN '{"rule":"host_turn"}'
    WHEN because = 'never looked at before' THEN '{"rule":"never_polled"}'
    WHEN because = 'somebody asked for a look' THEN '{"rule":"asked"}'
    WHEN because = 'resumed by hand' THEN '{"rule":"resumed"}'
    WHEN because = 'its settings were changed' THEN '{"rule":"settings_changed"}'
    WHEN because = 'started anew' THEN '{"rule":"started_anew"}'
    WHEN because = 'its date made no sense' THEN '{"rule":"date_mended"}'
    WHEN because LIKE 'paused after too many failures in a row%' THEN '{"rule":"paused_errors"}'
    WHEN because = 'paused because the server says it is gone for good' THEN
        '{"rule":"paused_gone"}'
    ELSE '{"rule":"other_version"}'
END
WHERE because <> '';

UPDATE host_cooldowns SET because = CASE because WHEN 'its turn' THEN 'turn' ELSE 'asked' END;

UPDATE fetch_log SET reason = 'not_modified' WHERE reason = 'not modified';
UPDATE fetch_log SET reason = 'no_fetcher' WHERE outcome = 'skipped';
UPDATE fetch_log SET reason = 'host_rests' WHERE outcome = 'postponed' AND reason = 'busy';
