package dev.switchboard.journal;

import com.typesafe.config.Config;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.persistence.jdbc.db.SlickDatabase;
import org.apache.pekko.persistence.jdbc.db.SlickDatabaseProvider;
import slick.jdbc.JdbcBackend;
import slick.jdbc.JdbcProfile;

/**
 * Gives the journal plugin and the snapshot plugin the storage's own pool, in place of one for each of them. Named by
 * {@code pekko-persistence-jdbc.database-provider-fqcn} and made by the plugin. Thread-safe.
 */
public final class PluginDatabases implements SlickDatabaseProvider {
    private final ActorSystem system;

    public PluginDatabases(ActorSystem system) {
        this.system = system;
    }

    @Override
    public SlickDatabase database(Config plugin) {
        StorageExtension extension = StorageExtension.of(system);
        return new SlickDatabase() {
            @Override
            public JdbcBackend.JdbcDatabaseDef database() {
                return extension.database();
            }

            @Override
            public JdbcProfile profile() {
                return extension.profile();
            }

            @Override
            public boolean allowShutdown() {
                return false;
            }
        };
    }
}
