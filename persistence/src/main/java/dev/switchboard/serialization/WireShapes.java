package dev.switchboard.serialization;

import com.esotericsoftware.kryo.KryoException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.apache.pekko.actor.typed.ActorRef;

/**
 * Knows how the types travel of which messages between nodes are made: numbers, flags, texts, times, enums,
 * collections, records of these, and references to actors. A message with any other type can't be built into the
 * table, so it is noticed at start. Thread-safe.
 */
final class WireShapes {
    private static final int TEXT = 1;
    private static final int NUMBER = 2;
    private static final int FLAG = 3;

    private final Map<Class<?>, WireShape<?>> records = new ConcurrentHashMap<>();
    private final Function<ActorRef<?>, String> refWriter;
    private final Function<String, ActorRef<?>> refReader;

    WireShapes(Function<ActorRef<?>, String> refWriter, Function<String, ActorRef<?>> refReader) {
        this.refWriter = refWriter;
        this.refReader = refReader;
    }

    <T extends Record> WireShape<T> of(Class<T> type) {
        return new WireShape<>(type, this::component);
    }

    private WireValue component(RecordComponent component) {
        try {
            return value(component.getGenericType());
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(component.getDeclaringRecord().getName() + "." + component.getName(), e);
        }
    }

    private WireValue value(Type type) {
        if (type == long.class) {
            return of((out, value) -> out.signed((Long) value), In::signed, 0L);
        }
        if (type == int.class) {
            return of((out, value) -> out.signed((Integer) value), WireShapes::smallSigned, 0);
        }
        if (type == boolean.class) {
            return of((out, value) -> out.flag((Boolean) value), In::flag, false);
        }
        if (type == String.class) {
            return of((out, value) -> out.text((String) value), In::text, null);
        }
        if (type == Instant.class) {
            return of((out, value) -> out.time((Instant) value), In::time, null);
        }
        if (type == Duration.class) {
            return of(WireShapes::duration, WireShapes::duration, null);
        }
        if (type == Object.class) {
            return of(WireShapes::fact, WireShapes::fact, null);
        }
        if (type instanceof Class<?> plain && plain.isEnum()) {
            Object[] constants = plain.getEnumConstants();
            return of((out, value) -> out.constant((Enum<?>) value), in -> in.constantOf(constants), null);
        }
        if (type instanceof Class<?> plain && plain.isRecord()) {
            return ofRecord(plain.asSubclass(Record.class));
        }
        if (type instanceof ParameterizedType parameterized) {
            return ofGeneric((Class<?>) parameterized.getRawType(), parameterized.getActualTypeArguments());
        }
        throw new IllegalArgumentException("no form for values of type " + type);
    }

    private static WireValue of(BiConsumer<Out, Object> writer, Function<In, Object> reader, Object whenMissing) {
        return new WireValue(writer, reader, whenMissing);
    }

    private WireValue ofRecord(Class<? extends Record> type) {
        // Built before it is used, so that a type without a form is noticed now.
        WireShape<?> shape = records.get(type);
        if (shape == null) {
            shape = of(type);
            records.put(type, shape);
        }
        WireShape<?> known = shape;
        return of((out, value) -> out.optional(value, known::write), in -> in.optional(known::read), null);
    }

    private WireValue ofGeneric(Class<?> raw, Type[] arguments) {
        if (raw == ActorRef.class) {
            return of(
                    (out, value) -> out.text(value == null ? null : refWriter.apply((ActorRef<?>) value)),
                    in -> {
                        String written = in.text();
                        return written == null ? null : refReader.apply(written);
                    },
                    null);
        }
        if (raw == List.class) {
            return ofCollection(value(arguments[0]), all -> all, List.of());
        }
        if (raw == Set.class) {
            return ofCollection(value(arguments[0]), LinkedHashSet::new, Set.of());
        }
        if (raw == Map.class) {
            return ofMap(value(arguments[0]), value(arguments[1]));
        }
        throw new IllegalArgumentException("no form for values of type " + raw);
    }

    private static WireValue ofCollection(
            WireValue element, Function<List<Object>, Object> collected, Object whenMissing) {
        return of(
                (out, value) ->
                        out.optional(value, (to, all) -> to.list(new ArrayList<>((Collection<?>) all), element::write)),
                in -> in.optional(from -> collected.apply(from.list(element::read))),
                whenMissing);
    }

    private static WireValue ofMap(WireValue key, WireValue value) {
        return of(
                (out, map) -> out.optional(
                        map,
                        (to, all) -> to.list(
                                new ArrayList<Map.Entry<?, ?>>(((Map<?, ?>) all).entrySet()), (entryOut, each) -> {
                                    key.write(entryOut, each.getKey());
                                    value.write(entryOut, each.getValue());
                                })),
                in -> in.optional(from -> new LinkedHashMap<>(from.map(key::read, value::read))),
                Map.of());
    }

    private static Object smallSigned(In in) {
        long value = in.signed();
        if (value < Integer.MIN_VALUE || value > Integer.MAX_VALUE) {
            throw new KryoException("number out of range: " + value);
        }
        return (int) value;
    }

    private static void duration(Out out, Object value) {
        out.optional((Duration) value, (to, duration) -> {
            to.signed(duration.getSeconds());
            to.number(duration.getNano());
        });
    }

    private static Object duration(In in) {
        return in.optional(from -> Duration.ofSeconds(from.signed(), from.number()));
    }

    /** A refusal's fact: a text, a number or a flag. */
    private static void fact(Out out, Object value) {
        if (value instanceof String text) {
            out.number(TEXT);
            out.text(text);
        } else if (value instanceof Long || value instanceof Integer) {
            out.number(NUMBER);
            out.signed(((Number) value).longValue());
        } else if (value instanceof Boolean flag) {
            out.number(FLAG);
            out.flag(flag);
        } else {
            throw new IllegalArgumentException("no form for a fact of " + (value == null ? null : value.getClass()));
        }
    }

    private static Object fact(In in) {
        int kind = in.smallNumber();
        return switch (kind) {
            case TEXT -> in.text();
            case NUMBER -> in.signed();
            case FLAG -> in.flag();
            default -> throw new KryoException("no fact has the kind " + kind);
        };
    }
}
