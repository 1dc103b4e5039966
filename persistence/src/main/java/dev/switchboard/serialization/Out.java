package dev.switchboard.serialization;

import com.esotericsoftware.kryo.io.Output;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * Writes fields in Switchboard's own form, over Kryo's output. What has no order of its own is written sorted, so that
 * equal values have equal bytes. Confined to one thread.
 */
final class Out {
    private final Output output;

    Out(Output output) {
        this.output = output;
    }

    /** Begins a part whose length its reader is to know; ended by {@link #endPart}. */
    int beginPart() {
        int start = output.position();
        output.writeInt(0);
        return start;
    }

    /** Ends the part that began there. */
    void endPart(int start) {
        int end = output.position();
        output.setPosition(start);
        output.writeInt(end - start - Integer.BYTES);
        output.setPosition(end);
    }

    /** The version of the form that follows: each part that may change begins with its own. */
    void version(int version) {
        output.writeVarInt(version, true);
    }

    /** A number that is rarely negative. */
    void number(long value) {
        output.writeVarLong(value, true);
    }

    /** A number that may as well be negative. */
    void signed(long value) {
        output.writeVarLong(value, false);
    }

    /** A hash: all eight bytes. */
    void hash(long value) {
        output.writeLong(value);
    }

    void flag(boolean value) {
        output.writeBoolean(value);
    }

    /** An enum's ordinal: their constants are append-only. May be null. */
    @SuppressWarnings("EnumOrdinal")
    void constant(Enum<?> value) {
        output.writeVarInt(value == null ? 0 : value.ordinal() + 1, true);
    }

    /** May be null. */
    void text(String value) {
        bytes(value == null ? null : value.getBytes(StandardCharsets.UTF_8));
    }

    /** May be null. */
    void bytes(byte[] value) {
        if (value == null) {
            output.writeVarInt(0, true);
        } else {
            output.writeVarInt(value.length + 1, true);
            output.writeBytes(value);
        }
    }

    /** May be null. */
    void time(Instant value) {
        flag(value != null);
        if (value != null) {
            output.writeVarLong(value.getEpochSecond(), false);
            output.writeVarInt(value.getNano(), true);
        }
    }

    /** May be null. */
    <T> void optional(T value, BiConsumer<Out, T> writer) {
        flag(value != null);
        if (value != null) {
            writer.accept(this, value);
        }
    }

    <T> void list(List<T> values, BiConsumer<Out, T> writer) {
        output.writeVarInt(values.size(), true);
        // By index: most lists are empty or short, and this is on every event's way.
        for (int i = 0; i < values.size(); i++) {
            writer.accept(this, values.get(i));
        }
    }

    /** Texts whose order doesn't matter. */
    void texts(Collection<String> values) {
        if (values.isEmpty()) {
            output.writeVarInt(0, true);
            return;
        }
        list(values.stream().sorted().toList(), Out::text);
    }

    <K, V> void map(
            Map<K, V> values, Function<K, String> order, BiConsumer<Out, K> keyWriter, BiConsumer<Out, V> valueWriter) {
        if (values.isEmpty()) {
            output.writeVarInt(0, true);
            return;
        }
        List<Map.Entry<K, V>> sorted = values.entrySet().stream()
                .sorted(Comparator.comparing(each -> order.apply(each.getKey())))
                .toList();
        list(sorted, (out, each) -> {
            keyWriter.accept(out, each.getKey());
            valueWriter.accept(out, each.getValue());
        });
    }

    /** A map whose order says something: it is written as it stands. */
    <V> void orderedMap(Map<String, V> values, BiConsumer<Out, V> valueWriter) {
        list(List.copyOf(values.entrySet()), (out, each) -> {
            out.text(each.getKey());
            valueWriter.accept(out, each.getValue());
        });
    }

    <V> void map(Map<String, V> values, BiConsumer<Out, V> valueWriter) {
        map(values, Function.identity(), Out::text, valueWriter);
    }
}
