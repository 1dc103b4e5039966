package dev.switchboard.socket;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.switchboard.socket.WebSocketDecoder.Message;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.pekko.util.ByteString;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WebSocketDecoderTest {
    private static final int MAX = 100_000;
    private static final byte[] MASK = {0x12, (byte) 0xFE, 0x00, 0x7A};

    private final WebSocketDecoder decoder = new WebSocketDecoder(MAX);

    private static byte[] frame(int firstByte, byte[] payload) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(firstByte);
        if (payload.length < 126) {
            out.write(0x80 | payload.length);
        } else if (payload.length < 65536) {
            out.write(0x80 | 126);
            out.write(payload.length >>> 8);
            out.write(payload.length);
        } else {
            out.write(0x80 | 127);
            for (int i = 7; i >= 0; i--) {
                out.write((int) ((long) payload.length >>> (8 * i)));
            }
        }
        out.writeBytes(MASK);
        for (int i = 0; i < payload.length; i++) {
            out.write(payload[i] ^ MASK[i % 4]);
        }
        return out.toByteArray();
    }

    private static byte[] text(String text) {
        return frame(0x81, text.getBytes(StandardCharsets.UTF_8));
    }

    private static byte[] join(byte[]... parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            out.writeBytes(part);
        }
        return out.toByteArray();
    }

    private List<Message> feedIn(byte[] bytes, int step) {
        List<Message> messages = new ArrayList<>();
        for (int at = 0; at < bytes.length; at += step) {
            decoder.feed(ByteString.fromArray(bytes, at, Math.min(step, bytes.length - at)));
            for (Message message = decoder.next(); message != null; message = decoder.next()) {
                messages.add(message);
            }
        }
        return messages;
    }

    private static String textOf(Message message) {
        Message.Data data = assertInstanceOf(Message.Data.class, message);
        assertTrue(data.text());
        return new String(data.payload(), StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 7, 13, 14, 15, 64, 1000, 1_000_000})
    void shouldReadTheSameWhateverThePieces(int step) {
        String middle = "x".repeat(200);
        String large = "y".repeat(70_000);
        List<Message> messages = feedIn(
                join(
                        text("a"),
                        text(""),
                        text(middle),
                        frame(0x89, new byte[] {1, 2, 3}),
                        text(large),
                        frame(0x01, "in ".getBytes(StandardCharsets.UTF_8)),
                        frame(0x8A, new byte[0]),
                        frame(0x00, "three ".getBytes(StandardCharsets.UTF_8)),
                        frame(0x80, "pieces".getBytes(StandardCharsets.UTF_8)),
                        frame(0x82, new byte[] {9}),
                        frame(0x88, new byte[] {3, (byte) 0xE8})),
                step);
        assertEquals("a", textOf(messages.get(0)));
        assertEquals("", textOf(messages.get(1)));
        assertEquals(middle, textOf(messages.get(2)));
        assertArrayEquals(
                new byte[] {1, 2, 3},
                assertInstanceOf(Message.Ping.class, messages.get(3)).payload());
        assertEquals(large, textOf(messages.get(4)));
        assertInstanceOf(Message.Pong.class, messages.get(5));
        assertEquals("in three pieces", textOf(messages.get(6)));
        assertEquals(9, ((Message.Data) messages.get(7)).payload()[0]);
        assertEquals(1000, ((Message.Close) messages.get(8)).code());
        assertEquals(9, messages.size());
    }

    @Test
    void shouldReadRandomStreamsInRandomPieces() {
        Random random = new Random(7);
        for (int round = 0; round < 200; round++) {
            WebSocketDecoder fresh = new WebSocketDecoder(MAX);
            List<byte[]> sent = new ArrayList<>();
            ByteArrayOutputStream stream = new ByteArrayOutputStream();
            for (int i = 0; i < 20; i++) {
                byte[] payload = new byte[random.nextInt(random.nextBoolean() ? 10 : 400)];
                random.nextBytes(payload);
                sent.add(payload);
                stream.writeBytes(frame(0x82, payload));
            }
            byte[] bytes = stream.toByteArray();
            List<byte[]> received = new ArrayList<>();
            for (int at = 0; at < bytes.length; ) {
                int step = Math.min(bytes.length - at, 1 + random.nextInt(50));
                fresh.feed(ByteString.fromArray(bytes, at, step));
                at += step;
                // Not every chunk is read to its end before the next comes.
                if (random.nextInt(3) > 0) {
                    for (Message message = fresh.next(); message != null; message = fresh.next()) {
                        received.add(((Message.Data) message).payload());
                    }
                }
            }
            for (Message message = fresh.next(); message != null; message = fresh.next()) {
                received.add(((Message.Data) message).payload());
            }
            assertEquals(sent.size(), received.size());
            for (int i = 0; i < sent.size(); i++) {
                assertArrayEquals(sent.get(i), received.get(i));
            }
        }
    }

    @Test
    void shouldRefuseWhatIsTooLargeBeforeItsContentComes() {
        byte[] header = new byte[14];
        header[0] = (byte) 0x81;
        header[1] = (byte) 0xFF;
        header[6] = 0x10;
        decoder.feed(ByteString.fromArray(header));
        assertInstanceOf(Message.TooLarge.class, decoder.next());
        decoder.feed(ByteString.fromArray(text("more")));
        assertNull(decoder.next(), "nothing is read after it");
    }

    @Test
    void shouldLimitTheSumOfFragments() {
        byte[] part = new byte[MAX / 2];
        assertNull(feedAll(frame(0x02, part)));
        assertNull(feedAll(frame(0x00, part)));
        assertInstanceOf(Message.TooLarge.class, feedAll(frame(0x80, new byte[1])));
    }

    private Message feedAll(byte[] bytes) {
        decoder.feed(ByteString.fromArray(bytes));
        return decoder.next();
    }

    @Test
    void shouldTakeExactlyTheLimit() {
        assertInstanceOf(Message.Data.class, feedAll(frame(0x82, new byte[MAX])));
        assertInstanceOf(Message.TooLarge.class, feedAll(frame(0x82, new byte[MAX + 1])));
    }

    @Test
    void shouldRefuseANegativeLength() {
        byte[] header = new byte[14];
        header[0] = (byte) 0x82;
        header[1] = (byte) 0xFF;
        header[2] = (byte) 0x80;
        assertInstanceOf(Message.TooLarge.class, feedAll(header));
    }

    @Test
    void shouldRefuseWhatBreaksTheRules() {
        violates(new byte[] {(byte) 0x81, 0x01, 'a'}, "not masked");
        violates(frame(0xC1, new byte[1]), "reserved");
        violates(frame(0x83, new byte[1]), "opcode");
        violates(frame(0x80, new byte[1]), "continues nothing");
        violates(join(frame(0x01, new byte[1]), frame(0x81, new byte[1])), "inside another");
        violates(frame(0x09, new byte[1]), "control frame");
        violates(frame(0x89, new byte[126]), "control frame");
    }

    private static void violates(byte[] bytes, String what) {
        WebSocketDecoder fresh = new WebSocketDecoder(MAX);
        fresh.feed(ByteString.fromArray(bytes));
        Message.Violation violation = assertInstanceOf(Message.Violation.class, fresh.next());
        assertTrue(violation.what().contains(what), violation.what());
    }

    @Test
    void shouldGiveTheCloseCode() {
        assertEquals(1005, ((Message.Close) feedAll(frame(0x88, new byte[0]))).code());
        assertEquals(1001, ((Message.Close) feedAll(frame(0x88, new byte[] {3, (byte) 0xE9, 'x'}))).code());
    }
}
