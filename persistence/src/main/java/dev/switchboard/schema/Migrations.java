package dev.switchboard.schema;

import java.util.Map;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;

/**
 * Brings a database to the schema of this release; called once at start, before anything else uses the database. A
 * release of an earlier version can start on a later schema: migrations only add until the release after.
 */
public final class Migrations {
    private static final String ROOT = "classpath:dev/switchboard/schema/";

    private Migrations() {}

    /**
     * Applies what is missing. Several nodes may start at once: one of them does it, the others wait.
     *
     * @param folder {@code h2} or {@code postgresql}
     * @throws org.flywaydb.core.api.FlywayException when the schema was changed by hand or a migration failed
     */
    public static void apply(DataSource database, String folder) {
        Flyway.configure(Migrations.class.getClassLoader())
                .dataSource(database)
                .locations(ROOT + folder)
                .table("schema_history")
                .validateMigrationNaming(true)
                .loggers("slf4j")
                .configuration(Map.of("flyway.cleanDisabled", "true"))
                .load()
                .migrate();
    }
}
