package dev.switchboard.serialization;

import com.esotericsoftware.kryo.KryoException;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

/**
 * How a record travels between nodes: its length, the number of its components, then each by its type. A record that
 * gained components at its end is understood by the release before, which skips what it doesn't know, and by the
 * release after, which puts nothing in place of what is missing (null, 0, or empty). Components are never removed,
 * moved or given another type within one rolling upgrade. Thread-safe.
 */
final class WireShape<T extends Record> {
    private final Class<T> type;
    private final Constructor<T> constructor;
    private final Method[] accessors;
    private final List<WireValue> values;

    /** @param values how a component's value travels, by its generic type */
    WireShape(Class<T> type, Function<RecordComponent, WireValue> values) {
        this.type = type;
        RecordComponent[] components = type.getRecordComponents();
        try {
            constructor = type.getDeclaredConstructor(
                    Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new));
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException("a record without its canonical constructor: " + type, e);
        }
        constructor.setAccessible(true);
        accessors = new Method[components.length];
        for (int i = 0; i < components.length; i++) {
            accessors[i] = components[i].getAccessor();
            accessors[i].setAccessible(true);
        }
        this.values = Arrays.stream(components).map(values).toList();
    }

    void write(Out out, Object value) {
        int start = out.beginPart();
        out.number(accessors.length);
        for (int i = 0; i < accessors.length; i++) {
            values.get(i).write(out, component(value, i));
        }
        out.endPart(start);
    }

    T read(In in) {
        int end = in.partEnd();
        int sent = in.smallNumber();
        Object[] components = new Object[accessors.length];
        for (int i = 0; i < components.length; i++) {
            components[i] = i < sent ? values.get(i).read(in) : values.get(i).whenMissing();
        }
        in.skipTo(end);
        try {
            return constructor.newInstance(components);
        } catch (InvocationTargetException e) {
            throw new KryoException("not a value of " + type.getName(), e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("can't make a " + type.getName(), e);
        }
    }

    private Object component(Object value, int i) {
        try {
            return accessors[i].invoke(value);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("can't read " + accessors[i], e);
        }
    }
}
