-- Dead letters, those that were settled too. Rows change only in the transaction of the event that says so. `letter` is the
-- whole of it in its versioned form, with every attempt and action kept.
CREATE TABLE dead_letter (
    id         VARCHAR(512) COLLATE "C" NOT NULL PRIMARY KEY,
    conv       VARCHAR(255) COLLATE "C" NOT NULL,
    queue      VARCHAR(64) COLLATE "C" NOT NULL,
    receiver   VARCHAR(128) COLLATE "C" NOT NULL,
    seq        BIGINT NOT NULL,
    state      VARCHAR(16) COLLATE "C" NOT NULL,
    died_us    BIGINT NOT NULL,
    updated_us BIGINT NOT NULL,
    letter     BYTEA NOT NULL
);

CREATE INDEX dead_letter_queue ON dead_letter (queue, state, died_us, id);
CREATE INDEX dead_letter_state ON dead_letter (state, died_us, id);
CREATE INDEX dead_letter_conv ON dead_letter (conv);

-- What happens behind a dead letter. The release before this one writes queues without it: they hold.
ALTER TABLE queue_settings ADD COLUMN dead_letters VARCHAR(16) DEFAULT 'HOLD' NOT NULL;
