package dev.switchboard.journal;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.switchboard.directory.SqlStorage;
import org.apache.pekko.actor.BootstrapSetup;
import org.apache.pekko.actor.setup.ActorSystemSetup;
import org.apache.pekko.actor.setup.Setup;

/** Gives an opened storage to the actor system that is made with it. Used by the server's main. Immutable. */
public final class StorageSetup extends Setup {
    private final SqlStorage storage;

    private StorageSetup(SqlStorage storage) {
        this.storage = storage;
    }

    SqlStorage storage() {
        return storage;
    }

    /** What an actor system needs to be made with: its configuration with the journal's, and the storage. */
    public static ActorSystemSetup of(SqlStorage storage, Config config) {
        return ActorSystemSetup.create(BootstrapSetup.create(withJournal(config)), new StorageSetup(storage));
    }

    /**
     * The configuration with what the journal and the snapshots need. It can't stand in a {@code reference.conf}: the
     * plugin's own sets the same keys, and which of two wins depends on the class path.
     */
    public static Config withJournal(Config config) {
        return ConfigFactory.parseResources(StorageSetup.class.getClassLoader(), "switchboard-persistence.conf")
                .withFallback(config)
                .resolve();
    }
}
