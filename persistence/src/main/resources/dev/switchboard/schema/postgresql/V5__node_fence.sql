-- Which nodes may write. A node has a row as long as it is a member; the others bar it before they take over what it had.
CREATE TABLE node_fence (
    node text COLLATE "C" PRIMARY KEY,
    entered_at timestamptz NOT NULL DEFAULT now(),
    fenced_at timestamptz,
    fenced_by text
);

-- Each batch of events calls this in its own statement. The row stays locked until the batch is committed, so that a bar
-- comes either before it, and then the batch fails, or after it, and then it is there for whoever recovers.
CREATE FUNCTION require_node(writer text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM node_fence WHERE node = writer AND fenced_at IS NULL FOR SHARE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'node % is barred from writing', writer USING ERRCODE = 'SB001';
    END IF;
    RETURN true;
END
$$;
