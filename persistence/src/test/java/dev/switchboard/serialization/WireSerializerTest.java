package dev.switchboard.serialization;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.esotericsoftware.kryo.KryoException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigValueFactory;
import dev.switchboard.conversation.ConversationCommand;
import dev.switchboard.conversation.ConversationReply;
import dev.switchboard.conversation.ErrorCode;
import dev.switchboard.conversation.Principal;
import dev.switchboard.conversation.Refusal;
import dev.switchboard.conversation.Role;
import dev.switchboard.conversation.Watermark;
import dev.switchboard.delivery.Ledgers;
import dev.switchboard.delivery.NodeMessage;
import dev.switchboard.delivery.TerminalPush;
import dev.switchboard.desk.DeskCommand;
import dev.switchboard.desk.DeskReply;
import dev.switchboard.desk.Profile;
import dev.switchboard.journal.StorageSetup;
import dev.switchboard.routing.LineCommand;
import dev.switchboard.routing.LineReply;
import java.io.NotSerializableException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.pekko.actor.ExtendedActorSystem;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorRefResolver;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.javadsl.Adapter;
import org.apache.pekko.actor.typed.javadsl.AskPattern;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.serialization.SerializationExtension;
import org.apache.pekko.serialization.Serializers;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Messages between nodes arrive as they were sent, also from and to the next release. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class WireSerializerTest {
    private static final List<Class<?>> PROTOCOLS = List.of(
            ConversationCommand.class,
            ConversationReply.class,
            DeskCommand.class,
            DeskReply.class,
            LineCommand.class,
            LineReply.class,
            TerminalPush.class,
            NodeMessage.class,
            Ledgers.Message.class);

    private ActorSystem<ConversationCommand> near;
    private ActorSystem<ConversationCommand> far;

    @BeforeAll
    void start() {
        near = system("near");
        far = system("far");
    }

    @AfterAll
    void stop() throws Exception {
        for (ActorSystem<?> system : List.of(near, far)) {
            system.terminate();
            system.getWhenTerminated().toCompletableFuture().get(30, TimeUnit.SECONDS);
        }
    }

    /** Answers whoever describes it, with what a refusal can carry. */
    private static ActorSystem<ConversationCommand> system(String name) {
        var config = StorageSetup.withJournal(ConfigFactory.parseString("""
                pekko {
                  loglevel = ERROR
                  actor { provider = remote, allow-java-serialization = off }
                  persistence { journal.auto-start-journals = [], snapshot-store.auto-start-snapshot-stores = [] }
                  remote.warn-about-direct-use = off
                  remote.artery { transport = tcp, canonical { hostname = "127.0.0.1", port = 0 } }
                  coordinated-shutdown.run-by-jvm-shutdown-hook = off
                }
                """).withFallback(ConfigFactory.load()))
                .withValue("pekko.persistence.journal.auto-start-journals", ConfigValueFactory.fromIterable(List.of()))
                .withValue(
                        "pekko.persistence.snapshot-store.auto-start-snapshot-stores",
                        ConfigValueFactory.fromIterable(List.of()));
        return ActorSystem.create(
                Behaviors.receiveMessage(message -> {
                    if (message instanceof ConversationCommand.Describe describe) {
                        describe.replyTo()
                                .tell(new ConversationReply.Refused(
                                        refusal(describe.by().id())));
                    }
                    return Behaviors.same();
                }),
                name,
                config);
    }

    private static Refusal refusal(String id) {
        return Refusal.of(ErrorCode.NOT_OWNER, "it is another's")
                .withFact("owner", id)
                .withFact("epoch", 7L)
                .withFact("final", true);
    }

    private Object roundTrip(Object value) {
        var serialization = SerializationExtension.get(Adapter.toClassic(near));
        byte[] bytes = serialization.serialize(value).get();
        var serializer = serialization.findSerializerFor(value);
        assertEquals(WireSerializer.SERIALIZER_ID, serializer.identifier());
        return serialization
                .deserialize(bytes, serializer.identifier(), Serializers.manifestFor(serializer, value))
                .get();
    }

    @Test
    void shouldCarryEveryMessageWithEveryFieldAndWithNone() {
        for (boolean full : new boolean[] {true, false}) {
            Values values = new Values(near.unsafeUpcast(), full);
            for (Class<?> message : messages()) {
                if (!WireForms.LOCAL.contains(message)) {
                    Object value = values.of(message);
                    assertEquals(value, roundTrip(value), message.getName());
                }
            }
        }
    }

    /** Null says something else than an empty list here: read the missed entries from the journal. */
    @Test
    void shouldTellNoListFromAnEmptyOne() {
        TerminalPush.Attached attached = new TerminalPush.Attached(null, null, 3, false, null);
        assertEquals(attached, roundTrip(attached));
        TerminalPush.Attached none = new TerminalPush.Attached(null, null, 3, false, List.of());
        assertEquals(none, roundTrip(none));
    }

    @Test
    void shouldHaveEveryMessageInTheTableButThoseThatAnActorTellsItself() {
        Set<Class<?>> expected = new HashSet<>(messages());
        expected.removeAll(WireForms.LOCAL);
        List<Form<?>> forms = WireForms.all(new WireShapes(ref -> "", text -> null));
        Set<Class<?>> inTable = new HashSet<>();
        forms.forEach(form -> inTable.add(form.type()));
        assertEquals(expected, inTable);
        assertEquals(forms.size(), forms.stream().map(Form::classId).distinct().count());
        assertEquals(forms.size(), forms.stream().map(Form::name).distinct().count());
    }

    private static List<Class<?>> messages() {
        List<Class<?>> found = new ArrayList<>();
        for (Class<?> protocol : PROTOCOLS) {
            addRecords(protocol, found);
        }
        return found;
    }

    private static void addRecords(Class<?> type, List<Class<?>> found) {
        if (type.isRecord()) {
            if (!found.contains(type)) {
                found.add(type);
            }
        } else {
            for (Class<?> permitted : type.getPermittedSubclasses()) {
                addRecords(permitted, found);
            }
        }
    }

    @Test
    void shouldLetTwoNodesTalkAndKeepReferencesToActors() throws Exception {
        String address = ActorRefResolver.get(far).toSerializationFormat(far);
        ActorRef<ConversationCommand> remote = ActorRefResolver.get(near).resolveActorRef(address);
        ConversationReply reply = AskPattern.<ConversationCommand, ConversationReply>ask(
                        remote,
                        ref -> new ConversationCommand.Describe(Principal.of(Role.AGENT, "anna"), ref),
                        Duration.ofSeconds(20),
                        near.scheduler())
                .toCompletableFuture()
                .get(20, TimeUnit.SECONDS);
        assertEquals(
                refusal("anna"),
                assertInstanceOf(ConversationReply.Refused.class, reply).refusal());
    }

    // ---- releases that differ ----

    /** As one release has it. */
    record Before(String conv, long epoch) {}

    /** As the next one has it: with more at its end. */
    record After(String conv, long epoch, Set<String> more, Watermark mark, int count, String text) {}

    private static FormCodec release(Class<? extends Record> type) {
        WireShapes shapes = new WireShapes(ref -> "", text -> null);
        return new FormCodec(List.of(form(type, shapes)));
    }

    private static <T extends Record> Form<T> form(Class<T> type, WireShapes shapes) {
        WireShape<T> shape = shapes.of(type);
        return new Form<>(500, "x.message", type, 1, shape::write, (in, version) -> shape.read(in));
    }

    @Test
    void shouldUnderstandTheNextReleaseAndTheOneBefore() throws Exception {
        FormCodec before = release(Before.class);
        FormCodec after = release(After.class);
        byte[] sentByAfter = after.write(new After("c-1", 7, Set.of("a"), new Watermark(3, 2), 9, "more"));
        assertEquals(new Before("c-1", 7), before.read("x.message:1", sentByAfter));
        byte[] sentByBefore = before.write(new Before("c-1", 7));
        assertEquals(new After("c-1", 7, Set.of(), null, 0, null), after.read("x.message:1", sentByBefore));
    }

    @Test
    void shouldTellOnlyThatAMessageCannotBeReadWhateverItsBytes() {
        WireSerializer serializer = new WireSerializer((ExtendedActorSystem) Adapter.toClassic(near));
        Random random = new Random(11);
        Values values = new Values(near.unsafeUpcast(), true);
        for (Class<?> message : messages()) {
            if (WireForms.LOCAL.contains(message)) {
                continue;
            }
            Object value = values.of(message);
            byte[] bytes = serializer.toBinary(value);
            String manifest = serializer.manifest(value);
            for (int i = 0; i < 300; i++) {
                byte[] damaged = Arrays.copyOf(bytes, bytes.length - random.nextInt(2));
                damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
                try {
                    serializer.fromBinary(damaged, manifest);
                } catch (NotSerializableException expected) {
                    assertFalse(expected.getMessage().isEmpty());
                }
            }
        }
        assertThrows(NotSerializableException.class, () -> serializer.fromBinary(new byte[0], "cc.unknown:1"));
    }

    @Test
    void shouldRefuseAPartThatIsLongerThanItSays() {
        FormCodec codec = release(Before.class);
        byte[] bytes = codec.write(new Before("c-1", 7));
        // Class id (two bytes), version, then the part's length in four bytes.
        bytes[6] = (byte) (bytes[6] - 1);
        assertThrows(KryoException.class, () -> codec.read("x.message:1", bytes));
    }

    /** Makes values of records by their components' types: with everything in use, or with as little as can be. */
    private record Values(ActorRef<?> ref, boolean full) {
        Object of(Type type) {
            if (type == long.class) {
                return full ? 7L : 0L;
            } else if (type == int.class) {
                return full ? 5 : 0;
            } else if (type == boolean.class) {
                return full;
            } else if (type == String.class) {
                return full ? "tëxt" : "";
            } else if (type == Instant.class) {
                return full ? Instant.parse("2026-03-04T05:06:07.891234567Z") : Instant.EPOCH;
            } else if (type == Duration.class) {
                return full ? Duration.ofMillis(-1500) : Duration.ZERO;
            } else if (type == Object.class) {
                return full ? "fact" : 0L;
            } else if (type == Profile.class) {
                return full ? new Profile(9, Set.of("a"), Set.of("q")) : new Profile(0, Set.of(), Set.of());
            } else if (type == Watermark.class) {
                return full ? new Watermark(9, 3) : Watermark.NONE;
            } else if (type instanceof Class<?> plain && plain.isEnum()) {
                return plain.getEnumConstants()[full ? plain.getEnumConstants().length - 1 : 0];
            } else if (type instanceof Class<?> plain) {
                return record(plain);
            }
            return generic((ParameterizedType) type);
        }

        private Object generic(ParameterizedType type) {
            Type[] arguments = type.getActualTypeArguments();
            if (type.getRawType() == ActorRef.class) {
                return full ? ref : null;
            } else if (type.getRawType() == List.class) {
                return full ? List.of(of(arguments[0])) : List.of();
            } else if (type.getRawType() == Set.class) {
                return full ? Set.of(of(arguments[0])) : Set.of();
            }
            return full ? Map.of(of(arguments[0]), of(arguments[1])) : Map.of();
        }

        private Object record(Class<?> type) {
            try {
                RecordComponent[] components = type.getRecordComponents();
                var constructor = type.getDeclaredConstructor(
                        Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new));
                return constructor.newInstance(Arrays.stream(components)
                        .map(component -> of(component.getGenericType()))
                        .toArray());
            } catch (ReflectiveOperationException e) {
                throw new LinkageError("can't make a " + type, e);
            }
        }
    }
}
