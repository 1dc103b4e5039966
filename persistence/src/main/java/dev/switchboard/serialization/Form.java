package dev.switchboard.serialization;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;

/**
 * How one class is written: its Kryo class id, the name in its manifest, the version that is written and the functions
 * that write it and read every version up to it. The bytes begin with the version. Stateless.
 */
final class Form<T> extends Serializer<T> {
    private final int classId;
    private final String name;
    private final Class<T> type;
    private final int version;
    private final BiConsumer<Out, T> writer;
    private final BiFunction<In, Integer, T> reader;

    Form(
            int classId,
            String name,
            Class<T> type,
            int version,
            BiConsumer<Out, T> writer,
            BiFunction<In, Integer, T> reader) {
        super(false, true);
        this.classId = classId;
        this.name = name;
        this.type = type;
        this.version = version;
        this.writer = writer;
        this.reader = reader;
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
        return version;
    }

    String manifest() {
        return name + ":" + version;
    }

    @Override
    public void write(Kryo kryo, Output output, T value) {
        Out out = new Out(output);
        out.version(version);
        writer.accept(out, value);
    }

    @Override
    public T read(Kryo kryo, Input input, Class<? extends T> wanted) {
        In in = new In(input);
        return reader.apply(in, in.version(version));
    }
}
