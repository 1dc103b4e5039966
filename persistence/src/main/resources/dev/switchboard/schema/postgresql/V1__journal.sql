-- The tables of pekko-persistence-jdbc, with Switchboard's columns in event_journal.
CREATE TABLE event_journal (
    ordering           BIGSERIAL,
    persistence_id     VARCHAR(255) NOT NULL,
    sequence_number    BIGINT NOT NULL,
    deleted            BOOLEAN DEFAULT FALSE NOT NULL,
    writer             VARCHAR(255) NOT NULL,
    write_timestamp    BIGINT NOT NULL,
    adapter_manifest   VARCHAR(255) NOT NULL,
    event_ser_id       INTEGER NOT NULL,
    event_ser_manifest VARCHAR(255) NOT NULL,
    event_payload      BYTEA NOT NULL,
    meta_ser_id        INTEGER,
    meta_ser_manifest  VARCHAR(255),
    meta_payload       BYTEA,
    -- What follows is null for events that are not entries.
    entry_seq          BIGINT,
    visibility         SMALLINT,
    sender             VARCHAR(128),
    client_msg_id      VARCHAR(64),
    body_hash          BIGINT,
    PRIMARY KEY (persistence_id, sequence_number)
);

CREATE UNIQUE INDEX event_journal_ordering_idx ON event_journal (ordering);

-- History by seq, and the first answer to a request however long ago; events that are not entries cost nothing here.
CREATE INDEX event_journal_entry ON event_journal (persistence_id, entry_seq) WHERE entry_seq IS NOT NULL;
CREATE INDEX event_journal_request ON event_journal (persistence_id, sender, client_msg_id)
    WHERE client_msg_id IS NOT NULL;

CREATE TABLE event_tag (
    event_id BIGINT NOT NULL,
    tag      VARCHAR(256) NOT NULL,
    PRIMARY KEY (event_id, tag),
    CONSTRAINT fk_event_journal FOREIGN KEY (event_id) REFERENCES event_journal (ordering) ON DELETE CASCADE
);

CREATE TABLE snapshot (
    persistence_id        VARCHAR(255) NOT NULL,
    sequence_number       BIGINT NOT NULL,
    created               BIGINT NOT NULL,
    snapshot_ser_id       INTEGER NOT NULL,
    snapshot_ser_manifest VARCHAR(255) NOT NULL,
    snapshot_payload      BYTEA NOT NULL,
    meta_ser_id           INTEGER,
    meta_ser_manifest     VARCHAR(255),
    meta_payload          BYTEA,
    PRIMARY KEY (persistence_id, sequence_number)
);
