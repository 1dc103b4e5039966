-- What operators did with shards and nodes: who, when, what, and what came of it. Rows are kept. At most one row has
-- `running`, so that at most one move or drain is under way in the cluster.
CREATE TABLE operation (
    id       VARCHAR(64) COLLATE "C" NOT NULL PRIMARY KEY,
    kind     VARCHAR(16) COLLATE "C" NOT NULL,
    by_whom  VARCHAR(255) COLLATE "C" NOT NULL,
    begun_us BIGINT NOT NULL,
    runner   VARCHAR(255) COLLATE "C",
    status   VARCHAR(16) COLLATE "C" NOT NULL,
    running  BOOLEAN UNIQUE,
    to_stop  VARCHAR(255) COLLATE "C",
    ended_us BIGINT,
    content  TEXT NOT NULL
);

CREATE INDEX operation_begun ON operation (begun_us, id);
