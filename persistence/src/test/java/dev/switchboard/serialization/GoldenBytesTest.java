package dev.switchboard.serialization;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.switchboard.conversation.ConversationEvent;
import dev.switchboard.conversation.ConversationState;
import dev.switchboard.conversation.Letter;
import dev.switchboard.conversation.Letters;
import dev.switchboard.desk.DeskEvent;
import dev.switchboard.desk.DeskState;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Holds the forms of everything persisted to the bytes that were released: {@code golden/v1/NAME.VERSION.hex}.
 *
 * <p>Files of a released version are never changed. Until the first release a form may still change in place: then run
 * this test with {@code -Dswitchboard.golden=write}, which writes the files anew, and look at what changed.
 */
class GoldenBytesTest {
    private static final Path FOLDER = Path.of("src", "test", "resources", "golden", "v1");
    private static final boolean WRITE = "write".equals(System.getProperty("switchboard.golden"));

    private final EventCodec codec = new EventCodec();

    @TestFactory
    Stream<DynamicTest> shouldReadAndWriteTheReleasedBytesOf() {
        return FormSamples.full().entrySet().stream()
                .map(sample ->
                        DynamicTest.dynamicTest(sample.getKey(), () -> compare(sample.getKey(), sample.getValue())));
    }

    private void compare(String name, Object value) throws IOException {
        String manifest = codec.manifest(value);
        assertTrue(manifest.startsWith(name + ":"), () -> manifest + " is not of " + name);
        Path file = FOLDER.resolve(manifest.replace(':', '.') + ".hex");
        byte[] written = codec.write(value);
        if (WRITE) {
            Files.createDirectories(FOLDER);
            Files.writeString(file, lines(HexFormat.of().formatHex(written)));
        }
        byte[] golden = HexFormat.of().parseHex(Files.readString(file).replaceAll("\\s", ""));
        assertSame(name, value, codec.read(manifest, golden));
        assertArrayEquals(golden, written, "the bytes of " + manifest + " changed");
    }

    private static String lines(String hex) {
        return hex.replaceAll("(.{64})", "$1\n").stripTrailing() + "\n";
    }

    @Test
    void shouldReadBackSparseValues() throws IOException {
        for (Object value : FormSamples.sparse()) {
            assertSame(value.getClass().getSimpleName(), value, codec.read(codec.manifest(value), codec.write(value)));
        }
    }

    /** A snapshot of before there were letters is one without any. */
    @Test
    void shouldReadASnapshotOfTheFirstVersion() throws IOException {
        byte[] golden = HexFormat.of()
                .parseHex(Files.readString(FOLDER.resolve("c.state.1.hex")).replaceAll("\\s", ""));
        ConversationState now = (ConversationState) FormSamples.full().get("c.state");
        ConversationState read = (ConversationState) codec.read("c.state:1", golden);
        assertEquals(Letters.NONE, read.letters());
        assertEquals(now.log(), read.log());
        assertEquals(now.watermarks(), read.watermarks());
        assertEquals(now.successor(), read.successor());
    }

    /** The oldest are forgotten first: a desk must know them by their order after a restart too. */
    @Test
    void shouldKeepTheOrderOfADesksReleasedSlots() throws IOException {
        DeskState state = (DeskState) FormSamples.full().get("d.state");
        DeskState back = (DeskState) codec.read(codec.manifest(state), codec.write(state));
        assertEquals(
                List.copyOf(state.released().keySet()),
                List.copyOf(back.released().keySet()));
        assertEquals(
                List.of("c-zoe", "c-frank", "c-erin"),
                List.copyOf(back.released().keySet()));
    }

    @Test
    void shouldCoverEveryKindOfEventAndState() {
        Set<Class<?>> kinds = new HashSet<>(ConversationEvent.kinds());
        kinds.addAll(DeskEvent.kinds());
        kinds.add(ConversationState.class);
        kinds.add(DeskState.class);
        kinds.add(Letter.class);
        Set<Class<?>> covered = new HashSet<>();
        FormSamples.full().values().forEach(value -> covered.add(value.getClass()));
        assertEquals(kinds, covered);
        // The lists of kinds themselves must not forget one.
        assertEquals(Set.of(ConversationEvent.class.getPermittedSubclasses()), Set.copyOf(ConversationEvent.kinds()));
        assertEquals(Set.of(DeskEvent.class.getPermittedSubclasses()), Set.copyOf(DeskEvent.kinds()));
    }

    @Test
    void shouldGiveEachFormAnIdAndANameOfItsOwn() {
        List<Form<?>> forms = EventForms.all();
        assertEquals(forms.size(), forms.stream().map(Form::classId).distinct().count());
        assertEquals(forms.size(), forms.stream().map(Form::name).distinct().count());
        assertEquals(forms.size(), forms.stream().map(Form::type).distinct().count());
    }

    /** Samples must use every field: a null or an empty list would hide that it isn't written. */
    @Test
    void shouldHaveSamplesWithEveryFieldInUse() throws ReflectiveOperationException {
        List<String> unused = new ArrayList<>();
        for (Map.Entry<String, Object> sample : FormSamples.full().entrySet()) {
            for (RecordComponent component : sample.getValue().getClass().getRecordComponents()) {
                Object value = component.getAccessor().invoke(sample.getValue());
                if (value == null || (value instanceof Collection<?> all && all.isEmpty())) {
                    unused.add(sample.getKey() + "." + component.getName());
                }
            }
        }
        assertEquals(List.of(), unused);
    }

    /** Equal in every component, arrays by content. */
    private static void assertSame(String where, Object expected, Object actual) {
        if (expected instanceof byte[] bytes) {
            assertArrayEquals(bytes, (byte[]) actual, where);
        } else if (expected instanceof Record) {
            assertEquals(expected.getClass(), actual.getClass(), where);
            for (RecordComponent component : expected.getClass().getRecordComponents()) {
                try {
                    assertSame(
                            where + "." + component.getName(),
                            component.getAccessor().invoke(expected),
                            component.getAccessor().invoke(actual));
                } catch (ReflectiveOperationException e) {
                    throw new LinkageError("a record's accessor can't be called", e);
                }
            }
        } else {
            assertEquals(expected, actual, where);
        }
    }
}
