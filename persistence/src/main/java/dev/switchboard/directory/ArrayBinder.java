package dev.switchboard.directory;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.postgresql.PGConnection;

/**
 * Binds whole columns to a PostgreSQL statement, one array for each parameter, in their order. The driver sends arrays of
 * these types in binary form, so a row costs no parameter of its own. Confined to one thread and one statement.
 */
public final class ArrayBinder implements AutoCloseable {
    private final PreparedStatement statement;
    private final PGConnection connection;
    private final List<Array> arrays = new ArrayList<>();
    private int bound;

    public ArrayBinder(Connection connection, PreparedStatement statement) throws SQLException {
        this.statement = statement;
        this.connection = connection.unwrap(PGConnection.class);
    }

    /** Elements may be null. */
    public ArrayBinder texts(String[] column) throws SQLException {
        return bind("text", column);
    }

    /** {@code long[]} or, with nulls, {@code Long[]}. */
    public ArrayBinder longs(Object column) throws SQLException {
        return bind("int8", column);
    }

    /** {@code int[]} or, with nulls, {@code Integer[]}. */
    public ArrayBinder integers(Object column) throws SQLException {
        return bind("int4", column);
    }

    /** {@code short[]} or, with nulls, {@code Short[]}. */
    public ArrayBinder shorts(Object column) throws SQLException {
        return bind("int2", column);
    }

    public ArrayBinder flags(boolean[] column) throws SQLException {
        return bind("bool", column);
    }

    /** The bytes are read, not kept. Elements may be null. */
    public ArrayBinder bytes(byte[][] column) throws SQLException {
        return bind("bytea", column);
    }

    private ArrayBinder bind(String type, Object column) throws SQLException {
        Array array = connection.createArrayOf(type, column);
        arrays.add(array);
        statement.setArray(++bound, array);
        return this;
    }

    /** One value and no column. */
    public ArrayBinder text(String value) throws SQLException {
        statement.setString(++bound, value);
        return this;
    }

    /** To be called when the statement has run. */
    @Override
    public void close() throws SQLException {
        for (Array array : arrays) {
            array.free();
        }
    }
}
