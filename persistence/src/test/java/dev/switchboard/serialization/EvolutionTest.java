package dev.switchboard.serialization;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.esotericsoftware.kryo.KryoException;
import dev.switchboard.conversation.ConversationEvent.EntryAppended;
import dev.switchboard.conversation.ConversationEvent.MarksMoved;
import dev.switchboard.conversation.ConversationEvent.Offered;
import dev.switchboard.conversation.ConversationEvent.Succeeded;
import dev.switchboard.conversation.Marks;
import dev.switchboard.conversation.OpenOffer;
import java.io.IOException;
import java.io.NotSerializableException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * This release and the next two, as far as their tables of forms go. The next one adds a field to an event, renames
 * another with its class and a field, adds a class and retires one. What its operator has not switched on it doesn't
 * write, so its data can be taken back to this release; the one after it may then write the new forms, since this one is
 * no longer the release before.
 */
class EvolutionTest {
    /** An entry's event as the next release has it: with the channel that it came by. */
    private record ChannelledEntry(EntryAppended event, String channel) {}

    /** The event of an offer under another name, with a renamed field. */
    private record SlotProposed(
            OpenOffer proposal, String line, long epoch, Instant at, Marks marks, Instant deadline) {}

    /** A class that this release doesn't know. */
    private record Pinned(long seq) {}

    private final FormCodec present = new FormCodec(EventForms.all());
    private final FormCodec next = new FormCodec(next(false));
    private final FormCodec nextSwitched = new FormCodec(next(true));

    private static List<Form<?>> next(boolean switched) {
        List<Form<?>> forms = new ArrayList<>();
        for (Form<?> form : EventForms.all()) {
            switch (form.name()) {
                case "c.entry" ->
                    forms.add(new Form<>(
                            form.classId(),
                            form.name(),
                            ChannelledEntry.class,
                            switched ? 2 : 1,
                            2,
                            (out, entry) -> writeEntry(out, entry, switched),
                            EvolutionTest::readEntry));
                case "c.offered" ->
                    forms.add(new Form<>(
                            form.classId(),
                            form.name(),
                            SlotProposed.class,
                            1,
                            (out, event) -> writeProposed(out, event),
                            (in, version) -> readProposed(in)));
                // A successor is no longer told by an event of its own: what is left of it is its marks.
                case "c.succeeded" ->
                    forms.add(Form.retired(form.classId(), form.name(), MarksMoved.class, 1, (in, version) -> {
                        in.text();
                        return new MarksMoved(Parts.marks(in), null);
                    }));
                default -> forms.add(form);
            }
        }
        forms.add(new Form<>(
                990,
                "c.pinned",
                Pinned.class,
                1,
                (out, pinned) -> out.number(pinned.seq()),
                (in, version) -> new Pinned(in.number())));
        return forms;
    }

    private static void writeEntry(Out out, ChannelledEntry entry, boolean withChannel) {
        Parts.entry(out, entry.event().entry());
        out.hash(entry.event().hash());
        out.flag(entry.event().viaSocket());
        Parts.marks(out, entry.event().marks());
        out.time(entry.event().deadline());
        if (withChannel) {
            out.text(entry.channel());
        }
    }

    private static ChannelledEntry readEntry(In in, int version) {
        EntryAppended event = new EntryAppended(Parts.entry(in), in.hash(), in.flag(), Parts.marks(in), in.time());
        return new ChannelledEntry(event, version >= 2 ? in.text() : "web");
    }

    private static void writeProposed(Out out, SlotProposed event) {
        Parts.offer(out, event.proposal());
        out.text(event.line());
        out.number(event.epoch());
        out.time(event.at());
        Parts.marks(out, event.marks());
        out.time(event.deadline());
    }

    private static SlotProposed readProposed(In in) {
        return new SlotProposed(Parts.offer(in), in.text(), in.number(), in.time(), Parts.marks(in), in.time());
    }

    private static Object sample(String name) {
        return FormSamples.full().get(name);
    }

    /** The bytes that were released, not those that this code would write today. */
    private static byte[] released(String name) throws IOException {
        Path file = Path.of("src", "test", "resources", "golden", "v1", name + ".1.hex");
        return HexFormat.of().parseHex(Files.readString(file).replaceAll("\\s", ""));
    }

    @Test
    void shouldBeReadByTheNextRelease() throws IOException {
        for (Map.Entry<String, Object> sample : FormSamples.full().entrySet()) {
            Object read = next.read(sample.getKey() + ":1", released(sample.getKey()));
            switch (sample.getKey()) {
                case "c.entry" -> assertEquals(new ChannelledEntry((EntryAppended) sample.getValue(), "web"), read);
                case "c.offered" -> {
                    Offered before = (Offered) sample.getValue();
                    SlotProposed after = assertInstanceOf(SlotProposed.class, read);
                    assertEquals(before.offer(), after.proposal());
                    assertEquals(before.queue(), after.line());
                }
                case "c.succeeded" -> assertEquals(new MarksMoved(((Succeeded) sample.getValue()).marks(), null), read);
                default -> assertEquals(sample.getValue().getClass(), read.getClass());
            }
        }
    }

    /** Before the switch, whatever the next release writes of what this one has is what this one would write. */
    @Test
    void shouldReadWhatTheNextReleaseWrites() throws IOException {
        EntryAppended entry = (EntryAppended) sample("c.entry");
        ChannelledEntry later = new ChannelledEntry(entry, "web");
        assertEquals("c.entry:1", next.manifest(later));
        assertArrayEquals(released("c.entry"), next.write(later));
        assertEquals(entry, present.read(next.manifest(later), next.write(later)));

        Offered offered = (Offered) sample("c.offered");
        SlotProposed proposed = new SlotProposed(
                offered.offer(), offered.queue(), offered.epoch(), offered.at(), offered.marks(), offered.deadline());
        assertEquals(offered, present.read(next.manifest(proposed), next.write(proposed)));

        for (String untouched : List.of("c.opened", "c.owner", "c.marks", "c.state", "d.reserved", "d.state")) {
            assertArrayEquals(present.write(sample(untouched)), next.write(sample(untouched)), untouched);
        }
    }

    @Test
    void shouldReadInTheNextReleaseWhatItWritesAfterTheSwitch() throws IOException {
        ChannelledEntry later = new ChannelledEntry((EntryAppended) sample("c.entry"), "app");
        assertEquals("c.entry:2", nextSwitched.manifest(later));
        byte[] bytes = nextSwitched.write(later);
        assertEquals(later, nextSwitched.read("c.entry:2", bytes));
        assertEquals(later, next.read("c.entry:2", bytes), "a node on which the switch isn't thrown yet");
        assertEquals(
                "web",
                ((ChannelledEntry) nextSwitched.read("c.entry:1", released("c.entry"))).channel(),
                "what was written before the switch");
    }

    /**
     * A version or a class that this release doesn't know is refused, never read in part: it would forget what it left
     * out, and write that into the next snapshot.
     */
    @Test
    void shouldRefuseWhatIsWrittenAfterTheSwitchThatItDoesNotKnow() {
        byte[] bytes = nextSwitched.write(new ChannelledEntry((EntryAppended) sample("c.entry"), "app"));
        NotSerializableException refused =
                assertThrows(NotSerializableException.class, () -> present.read("c.entry:2", bytes));
        assertTrue(refused.getMessage().contains("c.entry:2"), refused::getMessage);
        assertThrows(KryoException.class, () -> present.read("c.entry:1", bytes));
        byte[] pinned = next.write(new Pinned(7));
        assertThrows(NotSerializableException.class, () -> present.read("c.pinned:1", pinned));
        assertThrows(KryoException.class, () -> present.read("c.marks:1", pinned));
    }

    @Test
    void shouldNotWriteARetiredClass() throws IOException {
        assertThrows(IllegalArgumentException.class, () -> next.write(sample("c.succeeded")));
        assertThrows(
                NotSerializableException.class,
                () -> next.read("c.succeeded:0", released("c.succeeded")),
                "a retired form has no version 0");
        // The class that took its place goes on as it was.
        assertArrayEquals(released("c.marks"), next.write(sample("c.marks")));
        assertEquals(sample("c.marks"), next.read("c.marks:1", released("c.marks")));
    }
}
