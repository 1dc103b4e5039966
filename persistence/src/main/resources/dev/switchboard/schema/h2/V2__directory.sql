-- The small tables behind the lists. Rows of conversations, waiting, deadlines and agents change only in the
-- transaction of the event that says so. Times are microseconds since 1970; texts named *_list hold one item a line,
-- with a line break before the first and after each.
CREATE TABLE conversation (
    conv       VARCHAR(255) NOT NULL PRIMARY KEY,
    customer   VARCHAR(128) NOT NULL,
    queue      VARCHAR(64) NOT NULL,
    status     VARCHAR(16) NOT NULL,
    owner      VARCHAR(128),
    opened_by  VARCHAR(128) NOT NULL,
    epoch      BIGINT NOT NULL,
    priority   SMALLINT NOT NULL,
    opened_us  BIGINT NOT NULL,
    updated_us BIGINT NOT NULL
);

-- Lists go by the newest change first and page by (updated_us, conv).
CREATE INDEX conversation_updated ON conversation (updated_us, conv);
CREATE INDEX conversation_status ON conversation (status, updated_us, conv);
CREATE INDEX conversation_queue ON conversation (queue, updated_us, conv);
CREATE INDEX conversation_owner ON conversation (owner, updated_us, conv);
CREATE INDEX conversation_customer ON conversation (customer, updated_us, conv);

CREATE TABLE waiting (
    conv            VARCHAR(255) NOT NULL PRIMARY KEY,
    queue           VARCHAR(64) NOT NULL,
    epoch           BIGINT NOT NULL,
    customer        VARCHAR(128) NOT NULL,
    priority        SMALLINT NOT NULL,
    skills_list     VARCHAR NOT NULL,
    since_us        BIGINT NOT NULL,
    front           BOOLEAN NOT NULL,
    prefer          VARCHAR(128),
    prefer_until_us BIGINT,
    direct          BOOLEAN NOT NULL
);

CREATE INDEX waiting_queue ON waiting (queue, conv);

CREATE TABLE deadline (
    entity VARCHAR(16) NOT NULL,
    id     VARCHAR(255) NOT NULL,
    due_us BIGINT NOT NULL,
    PRIMARY KEY (entity, id)
);

CREATE INDEX deadline_due ON deadline (due_us, entity, id);

CREATE TABLE agent (
    agent        VARCHAR(128) NOT NULL PRIMARY KEY,
    availability VARCHAR(16) NOT NULL,
    capacity     INTEGER NOT NULL,
    held         INTEGER NOT NULL,
    queues_list  VARCHAR NOT NULL,
    skills_list  VARCHAR NOT NULL,
    profiled     BOOLEAN NOT NULL,
    updated_us   BIGINT NOT NULL
);

CREATE TABLE queue_settings (
    queue                    VARCHAR(64) NOT NULL PRIMARY KEY,
    strategy                 VARCHAR(32) NOT NULL,
    auto_accept              BOOLEAN NOT NULL,
    offer_to                 INTEGER NOT NULL,
    offer_timeout_ms         BIGINT NOT NULL,
    max_length               INTEGER NOT NULL,
    ageing_ms                BIGINT NOT NULL,
    relax_skills_after_ms    BIGINT NOT NULL,
    prefer_last_agent_for_ms BIGINT NOT NULL,
    prefer_target_for_ms     BIGINT NOT NULL,
    owner_grace_ms           BIGINT NOT NULL,
    abandon_after_ms         BIGINT NOT NULL,
    close_idle_after_ms      BIGINT NOT NULL,
    when_closed              VARCHAR(16) NOT NULL
);

CREATE TABLE revocation (
    person VARCHAR(128) NOT NULL PRIMARY KEY,
    at_us  BIGINT NOT NULL
);

-- log_id names this history; whoever restores an older copy gives it another one. schema_digest is that of the
-- migrations that were applied last.
CREATE TABLE meta (
    name    VARCHAR(64) NOT NULL PRIMARY KEY,
    content VARCHAR(255) NOT NULL
);

INSERT INTO meta (name, content) VALUES ('log_id', CAST(RANDOM_UUID() AS VARCHAR(255)));
INSERT INTO meta (name, content) VALUES ('schema_digest', '');
