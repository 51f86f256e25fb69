-- A cadence that a person set stands until the type changes (S004-5).
ALTER TABLE source_stats ADD COLUMN is_cadence_set INTEGER NOT NULL DEFAULT 0;

-- Each collector's last sign of life, and until when it owes the next one (S000-22).
CREATE TABLE collector_signs (
    worker TEXT PRIMARY KEY,
    started_at DOUBLE PRECISION NOT NULL,
    seen_at DOUBLE PRECISION NOT NULL,
    expected_by DOUBLE PRECISION NOT NULL
);
