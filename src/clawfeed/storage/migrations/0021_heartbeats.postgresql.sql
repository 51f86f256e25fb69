-- A collector's heartbeat is called so everywhere (S000-22).
ALTER TABLE collector_signs RENAME TO collector_heartbeats;
ALTER TABLE collector_heartbeats RENAME CONSTRAINT collector_signs_pkey TO collector_heartbeats_pkey;
