package dev.switchboard.delivery;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.switchboard.conversation.Body;
import dev.switchboard.conversation.ConversationCommand.Describe;
import dev.switchboard.conversation.ConversationCommand.Post;
import dev.switchboard.conversation.ConversationReply;
import dev.switchboard.conversation.ConversationReply.Described;
import dev.switchboard.conversation.ConversationReply.Done;
import dev.switchboard.conversation.Principal;
import dev.switchboard.conversation.Role;
import dev.switchboard.conversation.Status;
import dev.switchboard.desk.Availability;
import dev.switchboard.desk.DeskCommand;
import dev.switchboard.desk.DeskReply;
import dev.switchboard.ports.Storage;
import dev.switchboard.routing.LineCommand;
import dev.switchboard.routing.LineReply;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.actor.testkit.typed.javadsl.TestProbe;
import org.apache.pekko.cluster.typed.Cluster;
import org.apache.pekko.cluster.typed.Join;
import org.apache.pekko.persistence.testkit.PersistenceTestKitPlugin;
import org.apache.pekko.persistence.testkit.PersistenceTestKitSnapshotPlugin;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The wiring, on a cluster of one: a post goes through sharding to an agent's terminal, and figures come back. */
class ActorHouseTest {
    private final ActorTestKit kit = ActorTestKit.create(ConfigFactory.parseString("""
                    pekko.actor.provider = cluster
                    pekko.remote.artery.canonical { hostname = "127.0.0.1", port = 0 }
                    pekko.coordinated-shutdown.run-by-actor-system-terminate = off
                    pekko.cluster.run-coordinated-shutdown-when-down = off
                    pekko.cluster.jmx.multi-mbeans-in-same-jvm = on
                    pekko.cluster.sharding.number-of-shards = 10
                    pekko.persistence.testkit { events.serialize = off, snapshots.serialize = off }
                    switchboard.queues.default.acceptance = auto
                    """)
            .withFallback(PersistenceTestKitPlugin.getInstance().config())
            .withFallback(PersistenceTestKitSnapshotPlugin.config())
            .withFallback(ConfigFactory.load()));

    @AfterEach
    void stop() {
        kit.shutdownTestKit();
    }

    @Test
    void shouldCarryAPostFromTheGatewayToTheAgentWhoGetsTheConversation() throws Exception {
        EmptyStorage empty = new EmptyStorage();
        Services services = ActorHouse.start(kit.system(), new Storage(empty, empty, empty, null));
        Cluster cluster = Cluster.get(kit.system());
        cluster.manager().tell(Join.create(cluster.selfMember().address()));
        Principal carol = Principal.of(Role.CUSTOMER, "carol");
        Principal ann = Principal.of(Role.AGENT, "ann").withQueues(Set.of("default"));

        TestProbe<TerminalPush> terminal = kit.createTestProbe();
        services.peers().desk("ann", new DeskCommand.AttachTerminal(ann, "t1", terminal.ref()));
        terminal.expectMessageClass(TerminalPush.DeskAttached.class, Duration.ofSeconds(20));
        assertInstanceOf(
                DeskReply.Shown.class,
                get(services.gateway()
                        .desk("ann", ref -> new DeskCommand.ChooseAvailability(Availability.AVAILABLE, ref))));

        ConversationReply reply = get(services.gateway()
                .conversation(
                        "c-carol",
                        carol.person(),
                        ref -> new Post(
                                carol,
                                carol.person(),
                                "default",
                                "m1",
                                Body.text("hello"),
                                null,
                                false,
                                0,
                                true,
                                ref)));
        assertEquals(1, assertInstanceOf(Done.class, reply).seq());
        assertEquals(
                "c-carol",
                terminal.expectMessageClass(TerminalPush.TakeUp.class, Duration.ofSeconds(20))
                        .conv());
        Described described = assertInstanceOf(
                Described.class,
                get(services.gateway().conversation("c-carol", ann.person(), ref -> new Describe(ann, ref))));
        assertEquals(Status.ASSIGNED, described.view().status());
        await().atMost(Duration.ofSeconds(10)).until(() -> {
            Optional<LineReply> shown = get(services.gateway().line("default", LineCommand.Show::new));
            return shown.orElseThrow() instanceof LineReply.Shown line
                    && line.length() == 0
                    && line.desks() == 1
                    && line.free() == 9;
        });
        assertTrue(services.queues().find("default").orElseThrow().autoAccept());
        assertEquals(
                List.of("default"),
                services.queues().all().stream().map(q -> q.queue()).toList());
    }

    private static <T> T get(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(20, TimeUnit.SECONDS);
    }
}
