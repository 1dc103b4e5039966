-- What operators did with shards and nodes: who, when, what, and what came of it. Rows are kept. At most one row has
-- `running`, so that at most one move or drain is under way in the cluster.
CREATE TABLE operation (
    id       VARCHAR(64) NOT NULL PRIMARY KEY,
    kind     VARCHAR(16) NOT NULL,
    by_whom  VARCHAR(255) NOT NULL,
    begun_us BIGINT NOT NULL,
    runner   VARCHAR(255),
    status   VARCHAR(16) NOT NULL,
    running  BOOLEAN UNIQUE,
    to_stop  VARCHAR(255),
    ended_us BIGINT,
    content  VARCHAR(16777216) NOT NULL
);

CREATE INDEX operation_begun ON operation (begun_us, id);
