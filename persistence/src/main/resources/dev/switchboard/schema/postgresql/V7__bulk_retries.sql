-- Bulk retries of dead letters: what was asked for, by whom, and how far it got. A job's letters are chosen when it is asked
-- for, in its own transaction. Whichever node carries a job out reads and writes here alone, so any other can go on with it.
CREATE TABLE retry_job (
    id            VARCHAR(64) COLLATE "C" NOT NULL PRIMARY KEY,
    creator       VARCHAR(160) COLLATE "C" NOT NULL,
    request_key   VARCHAR(64) COLLATE "C" NOT NULL,
    request_hash  VARCHAR(64) COLLATE "C" NOT NULL,
    queues_list   TEXT COLLATE "C" NOT NULL,
    filter_queue  VARCHAR(64) COLLATE "C",
    filter_conv   VARCHAR(255) COLLATE "C",
    filter_ids    INTEGER NOT NULL,
    cap           INTEGER NOT NULL,
    pace          INTEGER NOT NULL,
    state         VARCHAR(16) COLLATE "C" NOT NULL,
    created_us    BIGINT NOT NULL,
    stopped_by    VARCHAR(160) COLLATE "C",
    stopped_us    BIGINT,
    finished_us   BIGINT
);

-- The same request of the same person is the same job.
CREATE UNIQUE INDEX retry_job_request ON retry_job (creator, request_key);
CREATE INDEX retry_job_state ON retry_job (state, created_us);
CREATE INDEX retry_job_created ON retry_job (created_us, id);

CREATE TABLE retry_item (
    job        VARCHAR(64) COLLATE "C" NOT NULL REFERENCES retry_job (id) ON DELETE CASCADE,
    place      INTEGER NOT NULL,
    letter     VARCHAR(512) COLLATE "C" NOT NULL,
    conv       VARCHAR(255) COLLATE "C" NOT NULL,
    state      VARCHAR(16) COLLATE "C" NOT NULL,
    code       VARCHAR(64) COLLATE "C",
    updated_us BIGINT NOT NULL,
    PRIMARY KEY (job, place)
);

CREATE INDEX retry_item_state ON retry_item (job, state, place);
