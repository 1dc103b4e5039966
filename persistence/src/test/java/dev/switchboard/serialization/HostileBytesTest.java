package dev.switchboard.serialization;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.io.Output;
import dev.switchboard.conversation.ConversationEvent.Succeeded;
import dev.switchboard.testing.Samples;
import java.io.NotSerializableException;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Bytes that nobody wrote must end in an exception, without taking memory that they only claim to need. */
class HostileBytesTest {
    private final EventCodec codec = new EventCodec();

    @Test
    void shouldRefuseUnknownManifests() {
        byte[] bytes = codec.write(Samples.message("carol", 1, "hello"));
        for (String manifest :
                new String[] {"", "c.entry", "c.entry:", "c.entry:0", "c.entry:2", "c.entry:01", "x:1"}) {
            assertThrows(NotSerializableException.class, () -> codec.read(manifest, bytes), manifest);
        }
    }

    @Test
    void shouldRefuseBytesOfAnotherForm() {
        byte[] bytes = codec.write(Samples.message("carol", 1, "hello"));
        assertThrows(KryoException.class, () -> codec.read("c.opened:1", bytes));
    }

    @Test
    void shouldRefuseALaterVersionThanItKnows() {
        byte[] bytes = codec.write(Samples.message("carol", 1, "hello"));
        // Behind the class id stands the form's version.
        bytes[1] = 9;
        assertThrows(KryoException.class, () -> codec.read("c.entry:1", bytes));
    }

    @Test
    void shouldRefuseEveryCutAndEveryTail() {
        for (Map.Entry<String, Object> sample : FormSamples.full().entrySet()) {
            String manifest = codec.manifest(sample.getValue());
            byte[] bytes = codec.write(sample.getValue());
            for (int length = 0; length < bytes.length; length++) {
                byte[] cut = Arrays.copyOf(bytes, length);
                assertThrows(KryoException.class, () -> codec.read(manifest, cut), manifest + " cut at " + length);
            }
            byte[] longer = Arrays.copyOf(bytes, bytes.length + 1);
            assertThrows(KryoException.class, () -> codec.read(manifest, longer), manifest + " with a tail");
        }
    }

    @Test
    void shouldNotAllocateWhatALengthOnlyClaims() {
        long before = usedBytes();
        for (int claimed : new int[] {Integer.MAX_VALUE, Integer.MAX_VALUE - 8, 1 << 30, -1}) {
            Output output = new Output(64);
            byte[] honest = codec.write(new Succeeded("c-2", dev.switchboard.conversation.Marks.NONE));
            output.writeBytes(honest, 0, 2);
            output.writeVarInt(claimed, true);
            output.writeBytes(new byte[] {1, 2, 3});
            assertThrows(KryoException.class, () -> codec.read("c.succeeded:1", output.toBytes()));
        }
        assertTrue(usedBytes() - before < 256L << 20);
    }

    @Test
    void shouldEndInAValueOrAKryoExceptionForAnyBytes() {
        Random random = new Random(7);
        for (Map.Entry<String, Object> sample : FormSamples.full().entrySet()) {
            String manifest = codec.manifest(sample.getValue());
            byte[] bytes = codec.write(sample.getValue());
            for (int i = 0; i < 3000; i++) {
                byte[] damaged = bytes.clone();
                for (int k = 0; k <= random.nextInt(4); k++) {
                    damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
                }
                try {
                    codec.read(manifest, damaged);
                } catch (KryoException | NotSerializableException expected) {
                    // This is what damaged bytes are to end in.
                }
            }
        }
    }

    private static long usedBytes() {
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}
