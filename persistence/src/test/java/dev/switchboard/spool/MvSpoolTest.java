package dev.switchboard.spool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.switchboard.conversation.Body;
import dev.switchboard.conversation.Person;
import dev.switchboard.conversation.Principal;
import dev.switchboard.conversation.Role;
import dev.switchboard.directory.StorageStartException;
import dev.switchboard.ports.Spool;
import dev.switchboard.ports.Spool.Stored;
import dev.switchboard.ports.SpooledPost;
import dev.switchboard.testing.Stages;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MvSpoolTest {
    private static final Person CAROL = new Person(Role.CUSTOMER, "carol");
    private static final SpoolLimits ROOMY = new SpoolLimits(1L << 30, Duration.ofHours(1));

    @TempDir
    private Path folder;

    private Spool open() {
        return MvSpool.open(folder, ROOMY, Clock.systemUTC());
    }

    private static long keep(Spool spool, SpooledPost post) {
        Spool.Keeping keeping = spool.keep(post).orElseThrow();
        Stages.get(keeping.forced());
        return keeping.number();
    }

    private static List<String> ids(List<Stored> stored) {
        return stored.stream().map(each -> each.post().clientMsgId()).toList();
    }

    @Test
    void shouldGiveBackEveryFieldInTheOrderOfKeepingAfterAStart() {
        SpooledPost full = new SpooledPost(
                "c-carol",
                new Principal(
                        Role.SERVICE,
                        "bot",
                        Set.of("sales", "*"),
                        7,
                        Set.of("german"),
                        Set.of("car*"),
                        Instant.parse("2030-01-01T00:00:00Z")),
                CAROL,
                "sales",
                "m1",
                new Body("file", "caption", "https://files.example.com/1", "a.pdf", "application/pdf", 12),
                "m0",
                true,
                false,
                Instant.parse("2026-01-01T10:00:00.123456789Z"));
        try (Spool spool = open()) {
            keep(spool, full);
            keep(spool, Posts.of("dave", "m2", "two"));
            keep(spool, Posts.of("carol", "m3", "three"));
        }
        try (Spool spool = open()) {
            List<Stored> found = spool.leftOver();
            assertEquals(List.of("m1", "m2", "m3"), ids(found));
            assertEquals(full, found.get(0).post());
            assertEquals(Posts.of("carol", "m3", "three"), found.get(2).post());
            assertEquals(Optional.of(full), Stages.get(spool.read(found.get(0).number())));
            long next = keep(spool, Posts.of("carol", "m4", "four"));
            assertTrue(next > found.get(2).number());
        }
    }

    @Test
    void shouldForgetWhatWasAcceptedAndSayWhatWasRefusedAfterAStart() {
        try (Spool spool = open()) {
            long one = keep(spool, Posts.of("carol", "m1", "one"));
            long two = keep(spool, Posts.of("carol", "m2", "two"));
            keep(spool, Posts.of("carol", "m3", "three"));
            Stages.get(spool.accepted(one));
            Stages.get(spool.refused(two, "too-old"));
            assertEquals(1, spool.figures().posts());
        }
        try (Spool spool = open()) {
            assertEquals(List.of("m3"), ids(spool.leftOver()));
            assertEquals(
                    "too-old",
                    spool.refusal("c-carol", CAROL, "m2").orElseThrow().reason());
            assertTrue(spool.refusal("c-carol", CAROL, "m1").isEmpty());
        }
    }

    @Test
    void shouldForgetOldRefusals() {
        Clock[] clock = {Clock.fixed(Instant.parse("2026-01-01T10:00:00Z"), ZoneOffset.UTC)};
        Clock moving = new Clock() {
            @Override
            public ZoneOffset getZone() {
                return ZoneOffset.UTC;
            }

            @Override
            public Clock withZone(java.time.ZoneId zone) {
                return this;
            }

            @Override
            public Instant instant() {
                return clock[0].instant();
            }
        };
        try (Spool spool = MvSpool.open(folder, ROOMY, moving)) {
            Stages.get(spool.refused(keep(spool, Posts.of("carol", "m1", "one")), "too-old"));
            clock[0] = Clock.offset(clock[0], Duration.ofHours(2));
            Stages.get(spool.refused(keep(spool, Posts.of("carol", "m2", "two")), "too-old"));
            assertTrue(spool.refusal("c-carol", CAROL, "m1").isEmpty());
            assertTrue(spool.refusal("c-carol", CAROL, "m2").isPresent());
        }
    }

    @Test
    void shouldHaveNoRoomBeyondItsBytesAndRoomAgainAfterwards() {
        try (Spool spool = MvSpool.open(folder, new SpoolLimits(2_000, Duration.ofHours(1)), Clock.systemUTC())) {
            List<Long> numbers = new ArrayList<>();
            Optional<Spool.Keeping> last;
            do {
                last = spool.keep(Posts.of("carol", "m" + numbers.size(), "x".repeat(100)));
                last.ifPresent(kept -> numbers.add(kept.number()));
            } while (last.isPresent());
            assertTrue(numbers.size() > 2 && numbers.size() < 20, () -> "kept " + numbers.size());
            assertTrue(spool.figures().bytes() <= 2_000);
            Stages.get(spool.accepted(numbers.get(0)));
            keep(spool, Posts.of("carol", "again", "x".repeat(100)));
            numbers.forEach(number -> Stages.get(spool.accepted(number)));
            assertEquals(1, spool.figures().posts());
        }
    }

    @Test
    void shouldLeaveNoByteOfWhatAnErasedConversationSaid() {
        try (Spool spool = open()) {
            for (int i = 0; i < 50; i++) {
                keep(spool, Posts.of("dave", "d" + i, "what dave says " + i));
                Stages.get(spool.accepted(keep(spool, Posts.of("carol", "a" + i, "settled secret " + i))));
            }
            long open = keep(spool, Posts.of("carol", "m1", "pending secret"));
            assertTrue(fileContains("settled secret") && fileContains("pending secret"));

            assertEquals(1, Stages.get(spool.erase("c-carol")));

            assertFalse(fileContains("settled secret"));
            assertFalse(fileContains("pending secret"));
            assertTrue(fileContains("what dave says 7"));
            assertTrue(Stages.get(spool.read(open)).isEmpty());
            assertEquals(
                    "erased",
                    spool.refusal("c-carol", CAROL, "m1").orElseThrow().reason());
            keep(spool, Posts.of("dave", "later", "goes on"));
            assertFalse(fileContains("secret"));
        }
        try (Spool spool = open()) {
            assertEquals(51, spool.leftOver().size());
            assertFalse(fileContains("secret"));
        }
    }

    @Test
    void shouldLeaveNoByteOfAnythingOnceItIsEmpty() {
        try (Spool spool = open()) {
            List<Long> numbers = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                numbers.add(keep(spool, Posts.of("carol", "m" + i, "passing words " + i)));
            }
            assertTrue(fileContains("passing words"));
            numbers.forEach(spool::accepted);
            Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> !fileContains("passing words"));
            keep(spool, Posts.of("carol", "next", "new words"));
        }
        try (Spool spool = open()) {
            assertEquals(List.of("next"), ids(spool.leftOver()));
        }
    }

    /** As much as on the fastest disk: none of it is old enough to be written over. */
    @Test
    void shouldStaySmallHoweverFastMuchGoesThrough() throws IOException {
        Path file = folder.resolve("spool.mv");
        try (Spool spool = open()) {
            keep(spool, Posts.of("dave", "stays", "stays"));
            for (int i = 0; i < 400; i++) {
                Stages.get(spool.accepted(keep(spool, Posts.of("carol", "m" + i, "x".repeat(300_000)))));
                long length = Files.size(file);
                assertTrue(length < 40 << 20, () -> "grew to " + length);
            }
        }
        try (Spool spool = open()) {
            assertEquals(List.of("stays"), ids(spool.leftOver()));
        }
    }

    @Test
    void shouldSetADamagedFileAsideAndTakeOverWhatCanBeRead() throws IOException {
        try (Spool spool = open()) {
            for (int i = 0; i < 300; i++) {
                assertTrue(spool.keep(Posts.of("carol", "m" + i, "text " + i + "y".repeat(500)))
                        .isPresent());
            }
        }
        byte[] before = Files.readAllBytes(folder.resolve("spool.mv"));
        // Everywhere: a copy may be left in a page that was written anew since.
        try (RandomAccessFile file =
                new RandomAccessFile(folder.resolve("spool.mv").toFile(), "rw")) {
            String content = new String(before, StandardCharsets.ISO_8859_1);
            for (int at = content.indexOf("text 150y"); at >= 0; at = content.indexOf("text 150y", at + 1)) {
                file.seek(at);
                file.write("TEXT".getBytes(StandardCharsets.UTF_8));
            }
        }
        byte[] damaged = Files.readAllBytes(folder.resolve("spool.mv"));
        try (Spool spool = open()) {
            List<String> found = ids(spool.leftOver());
            assertFalse(found.contains("m150"));
            assertTrue(found.size() > 250, () -> "only " + found.size() + " could be read");
            assertEquals(found, found.stream().sorted(MvSpoolTest::byNumber).toList());
            keep(spool, Posts.of("carol", "m300", "goes on"));
        }
        assertEquals(1, setAside().size());
        assertTrue(
                java.util.Arrays.equals(damaged, Files.readAllBytes(setAside().get(0))));
        try (Spool spool = open()) {
            assertTrue(ids(spool.leftOver()).contains("m300"));
        }
        assertEquals(1, setAside().size());
    }

    @Test
    void shouldSetAsideWhatIsNoSpoolAtAll() throws IOException {
        Files.write(folder.resolve("spool.mv"), "no spool ".repeat(2_000).getBytes(StandardCharsets.UTF_8));
        try (Spool spool = open()) {
            assertTrue(spool.leftOver().isEmpty());
            keep(spool, Posts.of("carol", "m1", "one"));
        }
        assertEquals(1, setAside().size());
    }

    /** Whatever a torn or overwritten file holds: no start fails, no post is made up, and no loss is kept quiet. */
    @Test
    void shouldNoticeWhateverDamageCostsAPost() throws IOException {
        List<String> kept = new ArrayList<>();
        try (Spool spool = open()) {
            for (int i = 0; i < 60; i++) {
                keep(spool, Posts.of("carol", "m" + i, "text " + i));
                kept.add("m" + i);
            }
        }
        byte[] whole = Files.readAllBytes(folder.resolve("spool.mv"));
        byte[] mark = Files.readAllBytes(folder.resolve("spool.mark"));
        Random random = new Random(42);
        int costly = 0;
        for (int round = 0; round < 40; round++) {
            byte[] bytes = round % 2 == 0
                    ? java.util.Arrays.copyOf(whole, random.nextInt(whole.length))
                    : overwritten(whole, random);
            Files.write(folder.resolve("spool.mv"), bytes);
            Files.write(folder.resolve("spool.mark"), mark);
            try (Spool spool = open()) {
                List<String> found = ids(spool.leftOver());
                costly += found.equals(kept) ? 0 : 1;
                assertTrue(setAside().size() >= costly, "posts were lost and nothing was said");
                assertTrue(kept.containsAll(new HashSet<>(found)));
                assertEquals(found, found.stream().sorted(MvSpoolTest::byNumber).toList());
                keep(spool, Posts.of("carol", "m99", "goes on"));
            }
        }
        assertTrue(costly > 10, "hardly anything was damaged");
    }

    private static byte[] overwritten(byte[] whole, Random random) {
        byte[] bytes = whole.clone();
        int from = random.nextInt(bytes.length);
        for (int i = from; i < Math.min(bytes.length, from + 1 + random.nextInt(6_000)); i++) {
            bytes[i] = (byte) random.nextInt();
        }
        return bytes;
    }

    @Test
    void shouldRefuseAFileThatAnotherHolds() {
        try (Spool spool = open()) {
            StorageStartException refused = assertThrows(StorageStartException.class, this::open);
            assertTrue(refused.getMessage().contains("in use by another process"), refused.getMessage());
            keep(spool, Posts.of("carol", "m1", "one"));
        }
        assertTrue(setAside().isEmpty());
    }

    private static int byNumber(String one, String other) {
        return Integer.compare(Integer.parseInt(one.substring(1)), Integer.parseInt(other.substring(1)));
    }

    private List<Path> setAside() {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.getFileName().toString().startsWith("spool.damaged-"))
                    .toList();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private boolean fileContains(String text) {
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                if (indexOf(Files.readAllBytes(file), text) >= 0) {
                    return true;
                }
            }
            return false;
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static int indexOf(byte[] bytes, String text) {
        return new String(bytes, StandardCharsets.ISO_8859_1).indexOf(text);
    }
}
