package dev.switchboard.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Looks for a text in all that a database shows, and in the bytes of its files. */
public final class Traces {
    private Traces() {}

    /** Where the text stands in the rows of all tables, as {@code table.column}, one for each value. */
    public static List<String> inTables(Connection connection, String text) throws SQLException {
        List<String> found = new ArrayList<>();
        List<String> tables = new ArrayList<>();
        DatabaseMetaData meta = connection.getMetaData();
        try (ResultSet all = meta.getTables(connection.getCatalog(), null, "%", new String[] {"TABLE", "BASE TABLE"})) {
            while (all.next()) {
                String schema = all.getString("TABLE_SCHEM");
                if (!schema.equalsIgnoreCase("information_schema") && !schema.equals("pg_catalog")) {
                    tables.add(schema + ".\"" + all.getString("TABLE_NAME") + "\"");
                }
            }
        }
        if (tables.isEmpty()) {
            throw new AssertionError("no tables were found");
        }
        for (String table : tables) {
            try (Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery("SELECT * FROM " + table)) {
                int columns = rows.getMetaData().getColumnCount();
                while (rows.next()) {
                    for (int column = 1; column <= columns; column++) {
                        Object value = rows.getObject(column);
                        String shown = value instanceof byte[] bytes ? latin(bytes) : String.valueOf(value);
                        if (shown.contains(text)) {
                            found.add(table + "." + rows.getMetaData().getColumnName(column));
                        }
                    }
                }
            }
        }
        return found;
    }

    /** The files below a folder in whose bytes the text stands. */
    public static List<Path> inFiles(Path folder, String text) {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.filter(Files::isRegularFile)
                    .filter(file -> holds(file, text))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean holds(Path file, String text) {
        try {
            return latin(Files.readAllBytes(file)).contains(text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String latin(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }
}
