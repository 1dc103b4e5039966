package dev.switchboard.serialization;

import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.io.Input;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * Reads what {@link Out} wrote. Every length is held against the bytes that are left before anything of that length is
 * made: five bytes must not be able to ask for gigabytes. All methods throw KryoException for bytes that can't be what
 * they are said to be. Confined to one thread.
 */
final class In {
    private final Input input;

    /** @param input over an array; never over a stream, which would not know what is left */
    In(Input input) {
        this.input = input;
    }

    /** The position at which a part ends that {@link Out#beginPart} began. */
    int partEnd() {
        int length = checked(input.readInt());
        return input.position() + length;
    }

    /** Goes to the end of a part, over what is not known here. */
    void skipTo(int end) {
        if (input.position() > end) {
            throw new KryoException("a part is longer than it says");
        }
        input.setPosition(end);
    }

    /** The version of the form that follows, from 1 to the newest one known. */
    int version(int newest) {
        int version = input.readVarInt(true);
        if (version < 1 || version > newest) {
            throw new KryoException("version " + version + " is not known here; the newest is " + newest);
        }
        return version;
    }

    long number() {
        return input.readVarLong(true);
    }

    int smallNumber() {
        long value = number();
        if (value < Integer.MIN_VALUE || value > Integer.MAX_VALUE) {
            throw new KryoException("number out of range: " + value);
        }
        return (int) value;
    }

    long signed() {
        return input.readVarLong(false);
    }

    long hash() {
        return input.readLong();
    }

    boolean flag() {
        return input.readBoolean();
    }

    /** May be null. */
    <E extends Enum<E>> E constant(E[] values) {
        int code = constantCode(values.length);
        return code == 0 ? null : values[code - 1];
    }

    /** May be null. The same for constants whose enum is only known when it runs. */
    Object constantOf(Object[] values) {
        int code = constantCode(values.length);
        return code == 0 ? null : values[code - 1];
    }

    private int constantCode(int constants) {
        int code = input.readVarInt(true);
        if (code < 0 || code > constants) {
            throw new KryoException("no constant has the code " + code);
        }
        return code;
    }

    /** May be null. */
    String text() {
        byte[] bytes = bytes();
        return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
    }

    /** May be null. */
    byte[] bytes() {
        int code = input.readVarInt(true);
        return code == 0 ? null : input.readBytes(checked(code - 1));
    }

    /** May be null. */
    Instant time() {
        if (!flag()) {
            return null;
        }
        return Instant.ofEpochSecond(input.readVarLong(false), input.readVarInt(true));
    }

    /** May be null. */
    <T> T optional(Function<In, T> reader) {
        return flag() ? reader.apply(this) : null;
    }

    <T> List<T> list(Function<In, T> reader) {
        int size = checked(input.readVarInt(true));
        List<T> values = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
            values.add(reader.apply(this));
        }
        return values;
    }

    Set<String> texts() {
        return new HashSet<>(list(In::text));
    }

    <K, V> Map<K, V> map(Function<In, K> keyReader, Function<In, V> valueReader) {
        int size = checked(input.readVarInt(true));
        // Also for a map whose order says something.
        Map<K, V> values = new LinkedHashMap<>();
        for (int i = 0; i < size; i++) {
            K key = keyReader.apply(this);
            values.put(key, valueReader.apply(this));
        }
        return values;
    }

    <V> Map<String, V> map(Function<In, V> valueReader) {
        return map(In::text, valueReader);
    }

    /** Every element takes at least one byte, so no honest length is beyond what is left. */
    private int checked(int length) {
        int left = input.limit() - input.position();
        if (length < 0 || length > left) {
            throw new KryoException("a length of " + length + " with " + left + " bytes left");
        }
        return length;
    }
}
