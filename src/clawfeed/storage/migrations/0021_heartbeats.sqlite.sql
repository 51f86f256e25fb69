-- A collector's heartbeat is called so everywhere (S000-22).
ALTER TABLE collector_signs RENAME TO collector_heartbeats;
