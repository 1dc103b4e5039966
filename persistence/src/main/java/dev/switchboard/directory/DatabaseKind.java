package dev.switchboard.directory;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The databases that Switchboard runs on, and where their SQL differs. Immutable. */
public enum DatabaseKind {
    /** Embedded, in a file (or in memory, for tests): one node. */
    H2("h2", "org.h2.Driver") {
        @Override
        String completed(String url) {
            List<String> parts = new ArrayList<>(List.of(url.split(";", -1)));
            String place = parts.get(0).substring("jdbc:h2:".length());
            if (place.startsWith("tcp:") || place.startsWith("ssl:")) {
                throw new StorageStartException(
                        "switchboard.database.url: H2 is used embedded only (jdbc:h2:file:…), not over the network",
                        null);
            }
            if (!place.startsWith("mem:")) {
                String file = place.startsWith("file:") ? place.substring("file:".length()) : place;
                // H2 refuses relative paths that don't say so; a home folder is its own notation.
                parts.set(
                        0,
                        "jdbc:h2:file:"
                                + (file.startsWith("~")
                                        ? file
                                        : Path.of(file).toAbsolutePath().normalize()));
            }
            // The plugin's statements name the tables in lower case. H2's own shutdown hook would close the database
            // under actors that still end in good order.
            withDefault(parts, "DATABASE_TO_UPPER", "FALSE");
            withDefault(parts, "DB_CLOSE_ON_EXIT", "FALSE");
            // The journal's and the directory's statements are more than H2 keeps parsed by default.
            withDefault(parts, "QUERY_CACHE_SIZE", "64");
            return String.join(";", parts);
        }

        @Override
        String upsert(String table, String keys, String others) {
            return "MERGE INTO " + table + " (" + keys + ", " + others + ") KEY (" + keys + ") VALUES ("
                    + marks(keys + ", " + others) + ")";
        }
    },

    /** What a deployment runs. */
    POSTGRESQL("postgresql", "org.postgresql.Driver") {
        @Override
        String completed(String url) {
            // Without the last one the driver puts whole statements, with their values, into its exceptions.
            String completed = url;
            for (String parameter :
                    List.of("reWriteBatchedInserts=true", "tcpKeepAlive=true", "logServerErrorDetail=false")) {
                String name = parameter.substring(0, parameter.indexOf('=') + 1);
                if (!completed.contains(name)) {
                    completed += (completed.contains("?") ? "&" : "?") + parameter;
                }
            }
            return completed;
        }

        @Override
        String upsert(String table, String keys, String others) {
            StringBuilder updates = new StringBuilder();
            for (String name : others.split(", ", -1)) {
                updates.append(updates.length() == 0 ? "" : ", ")
                        .append(name)
                        .append(" = EXCLUDED.")
                        .append(name);
            }
            return "INSERT INTO " + table + " (" + keys + ", " + others + ") VALUES (" + marks(keys + ", " + others)
                    + ") ON CONFLICT (" + keys + ") DO UPDATE SET " + updates;
        }
    };

    private final String schemaFolder;
    private final String driver;

    DatabaseKind(String schemaFolder, String driver) {
        this.schemaFolder = schemaFolder;
        this.driver = driver;
    }

    /** The database that a JDBC URL names. Throws {@link StorageStartException} for any other. */
    static DatabaseKind of(String url) {
        String lower = url.toLowerCase(Locale.ROOT);
        if (lower.startsWith("jdbc:h2:")) {
            return H2;
        }
        if (lower.startsWith("jdbc:postgresql:")) {
            return POSTGRESQL;
        }
        throw new StorageStartException(
                "switchboard.database.url must begin with jdbc:h2: or jdbc:postgresql:, not "
                        + url.substring(0, Math.min(url.length(), 24)),
                null);
    }

    String schemaFolder() {
        return schemaFolder;
    }

    String driver() {
        return driver;
    }

    /** The URL with the parameters that Switchboard needs; those that are there already stay. */
    abstract String completed(String url);

    /** A statement that writes a row whether or not its key is there. Columns are separated by {@code ", "}. */
    abstract String upsert(String table, String keys, String others);

    private static String marks(String columns) {
        return "?" + ", ?".repeat(columns.split(", ", -1).length - 1);
    }

    private static void withDefault(List<String> parts, String name, String value) {
        for (String part : parts) {
            if (part.toUpperCase(Locale.ROOT).startsWith(name + "=")) {
                return;
            }
        }
        parts.add(name + "=" + value);
    }
}
