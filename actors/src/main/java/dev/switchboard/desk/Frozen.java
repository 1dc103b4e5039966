package dev.switchboard.desk;

import java.util.AbstractMap;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * A map that keeps its order and never changes, and that is known not to: a state that is carried on with the same map
 * needn't copy it. Immutable.
 */
final class Frozen<V> extends AbstractMap<String, V> {
    private final Map<String, V> content;

    private Frozen(Map<String, V> content) {
        this.content = Collections.unmodifiableMap(content);
    }

    /** That map, frozen; a copy unless it is frozen already. */
    static <V> Map<String, V> copyOf(Map<String, V> map) {
        return map instanceof Frozen ? map : new Frozen<>(new LinkedHashMap<>(map));
    }

    /** That map, frozen; the caller must not change it any more. */
    static <V> Map<String, V> owning(Map<String, V> map) {
        return new Frozen<>(map);
    }

    @Override
    public V get(Object key) {
        return content.get(key);
    }

    @Override
    public boolean containsKey(Object key) {
        return content.containsKey(key);
    }

    @Override
    public int size() {
        return content.size();
    }

    @Override
    public Set<Entry<String, V>> entrySet() {
        return content.entrySet();
    }
}
