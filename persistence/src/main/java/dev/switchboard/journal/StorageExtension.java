package dev.switchboard.journal;

import dev.switchboard.directory.DatabaseKind;
import dev.switchboard.directory.SqlStorage;
import java.util.Optional;
import org.apache.pekko.actor.AbstractExtensionId;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.actor.ExtendedActorSystem;
import org.apache.pekko.actor.Extension;
import scala.Option;
import slick.jdbc.H2Profile$;
import slick.jdbc.JdbcBackend;
import slick.jdbc.JdbcProfile;
import slick.jdbc.PostgresProfile$;
import slick.util.AsyncExecutor;

/**
 * The storage of one actor system, and what is made of it once: the journal's writers and the plugin's database. It
 * comes with {@link StorageSetup}; a system made without one opens its own, and closes it at its end. Thread-safe.
 */
public final class StorageExtension implements Extension {
    private static final Id ID = new Id();
    private static final int RECOVERY_QUEUE = 10_000;

    private final SqlStorage storage;
    private final JournalWriters writers;
    private final JdbcBackend.JdbcDatabaseDef database;

    private StorageExtension(ExtendedActorSystem system) {
        Optional<StorageSetup> given = system.settings().setup().get(StorageSetup.class);
        storage = given.map(StorageSetup::storage)
                .orElseGet(() -> SqlStorage.open(system.settings().config()));
        writers = new JournalWriters(storage);
        int connections = storage.settings().recoveryConnections();
        database = profile()
                .backend()
                .Database()
                .forDataSource(
                        storage.recoveryPool(),
                        Option.apply(connections),
                        AsyncExecutor.apply(
                                "switchboard-recovery", connections, connections, RECOVERY_QUEUE, connections),
                        false);
        system.registerOnTermination(() -> {
            writers.close();
            database.close();
            if (given.isEmpty()) {
                storage.close();
            }
        });
    }

    /** The storage of that actor system. */
    public static StorageExtension of(ActorSystem system) {
        return ID.get(system);
    }

    public SqlStorage storage() {
        return storage;
    }

    JournalWriters writers() {
        return writers;
    }

    JdbcBackend.JdbcDatabaseDef database() {
        return database;
    }

    JdbcProfile profile() {
        return storage.settings().kind() == DatabaseKind.H2 ? H2Profile$.MODULE$ : PostgresProfile$.MODULE$;
    }

    private static final class Id extends AbstractExtensionId<StorageExtension> {
        @Override
        public StorageExtension createExtension(ExtendedActorSystem system) {
            return new StorageExtension(system);
        }
    }
}
