package dev.switchboard.serialization;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;

/**
 * How one class is written: its Kryo class id, the name in its manifest, the version that is written and the functions
 * that write that one and read every version up to the newest. The bytes begin with the version. Stateless.
 *
 * <p>What a release can read is more than what it writes: a new version is read first, and written only by the operator's
 * switch or by a later release, so that the release before can take the data back. A class that is no longer written
 * stays in the table as long as its bytes may lie somewhere: see {@link #retired}.
 */
final class Form<T> extends Serializer<T> {
    private final int classId;
    private final String name;
    private final Class<T> type;
    private final int written;
    private final int newest;
    private final BiConsumer<Out, T> writer;
    private final BiFunction<In, Integer, T> reader;

    Form(
            int classId,
            String name,
            Class<T> type,
            int version,
            BiConsumer<Out, T> writer,
            BiFunction<In, Integer, T> reader) {
        this(classId, name, type, version, version, writer, reader);
    }

    /**
     * @param written the version that {@code writer} writes; 0 for a class that isn't written any more
     * @param newest the newest version that {@code reader} reads
     */
    Form(
            int classId,
            String name,
            Class<T> type,
            int written,
            int newest,
            BiConsumer<Out, T> writer,
            BiFunction<In, Integer, T> reader) {
        super(false, true);
        this.classId = classId;
        this.name = name;
        this.type = type;
        this.written = written;
        this.newest = newest;
        this.writer = writer;
        this.reader = reader;
    }

    /** A class that is only read, as a value of the class that took its place. */
    static <T> Form<T> retired(
            int classId, String name, Class<T> successor, int newest, BiFunction<In, Integer, T> reader) {
        return new Form<>(
                classId,
                name,
                successor,
                0,
                newest,
                (out, value) -> {
                    throw new IllegalStateException(name + " is not written any more");
                },
                reader);
    }

    int classId() {
        return classId;
    }

    String name() {
        return name;
    }

    Class<T> type() {
        return type;
    }

    int newestVersion() {
        return newest;
    }

    boolean isWritten() {
        return written > 0;
    }

    String manifest() {
        return name + ":" + written;
    }

    @Override
    public void write(Kryo kryo, Output output, T value) {
        Out out = new Out(output);
        out.version(written);
        writer.accept(out, value);
    }

    @Override
    public T read(Kryo kryo, Input input, Class<? extends T> wanted) {
        In in = new In(input);
        return reader.apply(in, in.version(newest));
    }
}
