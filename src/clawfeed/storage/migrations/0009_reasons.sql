-- Reasons are codes with parameters now (domain/because.py). The sentences of before become the
-- codes that they said, with the figures from the columns beside them; the few whose figures stand
-- nowhere else (read budgets, weekly forecasts) are replaced at the next poll.

UPDATE source_stats SET because = coalesce(CASE
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
    WHEN because LIKE 'publishes % (P_): every %' THEN
        '{"cadence":"' || cadence || '","every_minutes":' || CASE cadence
            WHEN 'P0' THEN '15' WHEN 'P1' THEN '30' WHEN 'P2' THEN '60' WHEN 'P3' THEN '120'
            WHEN 'P4' THEN '240' WHEN 'P5' THEN '480' ELSE '1440' END
        || ',"frequency":"' || frequency_type || '","rule":"cadence"}'
    WHEN because LIKE 'usually publishes around %, so next look _____' THEN
        '{"deviation":' || std_publish_hour || ',"hour":' || avg_publish_hour || ',"poll_at":"'
        || substr(because, length(because) - 4) || '","rule":"usual_hour"}'
    WHEN because LIKE 'usually publishes around %; until then every %' THEN
        '{"deviation":' || std_publish_hour || ',"hour":' || avg_publish_hour
        || ',"every_minutes":' || CASE cadence
            WHEN 'P0' THEN '30' WHEN 'P1' THEN '60' WHEN 'P2' THEN '120' WHEN 'P3' THEN '240'
            WHEN 'P4' THEN '480' WHEN 'P5' THEN '960' ELSE '1440' END
        || ',"rule":"before_usual_hour"}'
    WHEN because LIKE 'about % new items expected by then; publishes about % times a day' THEN
        replace(replace(replace(because,
            ' new items expected by then; publishes about ', ',"per_day":'),
            'about ', '{"expected":'),
            ' times a day', ',"rule":"forecast"}')
    -- The same words after a failure and from a feed that was read.
    WHEN because = 'the server asked us to wait' AND fail_count > 0 THEN '{"rule":"retry_after"}'
    WHEN because = 'the server asked us to wait' THEN
        '{"instead_of":"other_version","rule":"server_hint"}'
    WHEN because = 'the feed asked us not to come at that hour' THEN
        '{"instead_of":"other_version","rule":"skip_hour"}'
    WHEN because = 'the feed asked us not to come on that day' THEN
        '{"instead_of":"other_version","rule":"skip_day"}'
    WHEN because LIKE '% asked us to stay away until _____ UTC.' THEN
        '{"rule":"asked_host_rests"}'
    WHEN because = 'the host asked us to wait until then' THEN '{"rule":"asked_host_rests"}'
    ELSE '{"rule":"other_version"}'
END, '{"rule":"other_version"}')
WHERE because <> '';

-- Until now a person's pause left the reason of the date that it took away.
UPDATE source_stats SET because = '{"rule":"paused_person"}'
WHERE source_id IN (SELECT id FROM sources WHERE is_active = 0 AND paused_because = 'person');

UPDATE host_cooldowns SET because = CASE because WHEN 'its turn' THEN 'turn' ELSE 'asked' END;

UPDATE fetch_log SET reason = 'not_modified' WHERE reason = 'not modified';
UPDATE fetch_log SET reason = 'no_fetcher' WHERE outcome = 'skipped';
UPDATE fetch_log SET reason = 'host_rests' WHERE outcome = 'postponed' AND reason = 'busy';
