package dev.switchboard.directory;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** One statement with its parameters. Built by one thread, run by another; not thread-safe otherwise. */
final class Query {
    interface RowReader<T> {
        T read(ResultSet row) throws SQLException;
    }

    private final StringBuilder sql;
    private final List<Object> parameters = new ArrayList<>();

    private Query(String sql) {
        this.sql = new StringBuilder(sql);
    }

    static Query of(String sql) {
        return new Query(sql);
    }

    /** Appends to the statement; never text that came from outside. */
    Query add(String more) {
        sql.append(more);
        return this;
    }

    Query with(Object parameter) {
        parameters.add(parameter);
        return this;
    }

    PreparedStatement prepare(Connection connection) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql.toString());
        try {
            for (int i = 0; i < parameters.size(); i++) {
                statement.setObject(i + 1, parameters.get(i));
            }
            return statement;
        } catch (SQLException e) {
            statement.close();
            throw e;
        }
    }

    <T> List<T> all(Connection connection, RowReader<T> reader) throws SQLException {
        try (PreparedStatement statement = prepare(connection);
                ResultSet rows = statement.executeQuery()) {
            List<T> all = new ArrayList<>();
            while (rows.next()) {
                all.add(reader.read(rows));
            }
            return all;
        }
    }

    <T> Optional<T> first(Connection connection, RowReader<T> reader) throws SQLException {
        List<T> all = all(connection, reader);
        return all.isEmpty() ? Optional.empty() : Optional.of(all.get(0));
    }
}
