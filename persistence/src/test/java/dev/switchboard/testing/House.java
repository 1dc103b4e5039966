package dev.switchboard.testing;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.switchboard.conversation.Body;
import dev.switchboard.conversation.ConversationCommand.Post;
import dev.switchboard.conversation.ConversationReply;
import dev.switchboard.conversation.Principal;
import dev.switchboard.conversation.Role;
import dev.switchboard.conversation.WriteAdmission;
import dev.switchboard.delivery.ActorHouse;
import dev.switchboard.delivery.Services;
import dev.switchboard.directory.SqlStorage;
import dev.switchboard.journal.StorageSetup;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.actor.typed.javadsl.Adapter;
import org.apache.pekko.cluster.typed.Cluster;
import org.apache.pekko.cluster.typed.Join;

/** The actors of a node over a database, as a cluster of one; no edge. Thread-safe. */
public final class House implements AutoCloseable {
    private static final Config CLUSTER = ConfigFactory.parseString("""
            pekko.actor.provider = cluster
            pekko.remote.artery.canonical { hostname = "127.0.0.1", port = 0 }
            pekko.coordinated-shutdown.run-by-actor-system-terminate = off
            pekko.cluster.run-coordinated-shutdown-when-down = off
            pekko.cluster.jmx.enabled = off
            pekko.cluster.sharding.number-of-shards = 100
            """);

    public final SqlStorage storage;
    public final org.apache.pekko.actor.typed.ActorSystem<Void> system;
    public final Services services;
    private final ActorSystem classic;

    /** Starts on that database, with settings that go before the defaults. */
    public House(TestDatabase database, String settings) throws Exception {
        Config config = CLUSTER.withFallback(database.config(settings));
        storage = SqlStorage.open(config);
        classic = ActorSystem.create("house", StorageSetup.of(storage, config));
        system = Adapter.toTyped(classic);
        services = ActorHouse.start(system, storage.storage());
        Cluster cluster = Cluster.get(system);
        cluster.manager().tell(Join.create(cluster.selfMember().address()));
        ActorHouse.whenReachable(system, Duration.ofSeconds(60))
                .toCompletableFuture()
                .get(60, TimeUnit.SECONDS);
    }

    public WriteAdmission admission() {
        return WriteAdmission.of(system);
    }

    /** A post of a customer to its own conversation. */
    public CompletableFuture<ConversationReply> post(String customer, String id, boolean repeat) {
        Principal by = Principal.of(Role.CUSTOMER, customer);
        return services.gateway()
                .conversation(
                        "c-" + customer,
                        by.person(),
                        ref -> new Post(by, by.person(), "default", id, Body.text(id), null, repeat, 0, true, ref))
                .toCompletableFuture();
    }

    @Override
    public void close() throws Exception {
        try {
            classic.terminate();
            classic.getWhenTerminated().toCompletableFuture().get(60, TimeUnit.SECONDS);
        } finally {
            storage.close();
        }
    }
}
