package dev.switchboard.serialization;

import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * How values of one type travel. Immutable.
 *
 * @param writer writes one; null only where the type has a form for it
 * @param reader reads one
 * @param whenMissing what stands for one that an older node didn't send
 */
record WireValue(BiConsumer<Out, Object> writer, Function<In, Object> reader, Object whenMissing) {
    void write(Out out, Object value) {
        writer.accept(out, value);
    }

    Object read(In in) {
        return reader.apply(in);
    }
}
