package dev.switchboard.schema;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;

/**
 * Brings a database to the schema of this release; called once at start, before anything else uses the database. A
 * release of an earlier version can start on a later schema: migrations only add until the release after.
 *
 * <p>Flyway does it, and takes more than a second to find that there is nothing to do. So a digest of the migrations
 * that were applied last is kept in the {@code meta} table, and a start that finds its own there leaves Flyway out.
 */
public final class Migrations {
    /** The scripts of each database's folder, in order. */
    static final List<String> SCRIPTS = List.of(
            "V1__journal.sql",
            "V2__directory.sql",
            "V3__cheaper_writes.sql",
            "V4__dead_letters.sql",
            "V5__node_fence.sql",
            "V6__operations.sql",
            "V7__bulk_retries.sql");

    private static final String ROOT = "dev/switchboard/schema/";
    private static final String DIGEST_ROW = "schema_digest";

    private Migrations() {}

    /**
     * Applies what is missing. Several nodes may start at once: one of them does it, the others wait.
     *
     * @param database with at least two connections
     * @param folder {@code h2} or {@code postgresql}
     * @throws org.flywaydb.core.api.FlywayException when the schema was changed by hand or a migration failed
     * @throws SQLException when the database went away
     */
    public static void apply(DataSource database, String folder) throws SQLException {
        String digest = digest(folder);
        if (digest.equals(appliedDigest(database))) {
            return;
        }
        Flyway.configure(Migrations.class.getClassLoader())
                .dataSource(database)
                .locations("classpath:" + ROOT + folder)
                .table("schema_history")
                .validateMigrationNaming(true)
                .loggers("slf4j")
                .configuration(Map.of("flyway.cleanDisabled", "true"))
                .load()
                .migrate();
        keepDigest(database, digest);
    }

    private static String digest(String folder) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            for (String script : SCRIPTS) {
                String name = ROOT + folder + "/" + script;
                try (InputStream in = Migrations.class.getClassLoader().getResourceAsStream(name)) {
                    if (in == null) {
                        throw new IllegalStateException("missing in this build: " + name);
                    }
                    digest.update(in.readAllBytes());
                }
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Null when nothing was applied yet. */
    private static String appliedDigest(DataSource database) throws SQLException {
        try (Connection connection = database.getConnection()) {
            try (ResultSet tables = connection.getMetaData().getTables(null, connection.getSchema(), "meta", null)) {
                if (!tables.next()) {
                    return null;
                }
            }
            try (PreparedStatement query = connection.prepareStatement("SELECT content FROM meta WHERE name = ?")) {
                query.setString(1, DIGEST_ROW);
                try (ResultSet row = query.executeQuery()) {
                    return row.next() ? row.getString(1) : null;
                }
            }
        }
    }

    private static void keepDigest(DataSource database, String digest) throws SQLException {
        try (Connection connection = database.getConnection();
                PreparedStatement update = connection.prepareStatement("UPDATE meta SET content = ? WHERE name = ?")) {
            update.setString(1, digest);
            update.setString(2, DIGEST_ROW);
            update.executeUpdate();
        }
    }
}
