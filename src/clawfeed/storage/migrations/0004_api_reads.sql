-- What a paid API was asked for, per UTC month: reserved before asking, so never exceeded (S001-8).

CREATE TABLE api_reads (
    api TEXT NOT NULL,
    month TEXT NOT NULL,
    used BIGINT NOT NULL DEFAULT 0 CHECK (used >= 0),
    updated_at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (api, month)
);
