package dev.switchboard.conversation;

import java.util.AbstractList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.RandomAccess;
import java.util.function.ToIntFunction;

/**
 * The bounded end of a list that only grows, each element with an int of the caller's beside it. Immutable; appending gives
 * a new one in amortised constant time.
 *
 * <p>Successive tails share one array: the latest writes behind its own end, where no earlier one looks. Appending to one
 * that is not the latest copies. So tails may be read by any thread they were handed to, while those that are appended to
 * each other must be so by one thread at a time: a conversation's actor.
 */
final class Tail<T> extends AbstractList<T> implements RandomAccess {
    private static final int LEAST_CAPACITY = 8;

    /** What successive tails share. */
    private static final class Shared {
        private final Object[] elements;
        private final int[] keys;
        private int used;

        Shared(int capacity) {
            this.elements = new Object[capacity];
            this.keys = new int[capacity];
        }
    }

    private final Shared shared;
    private final int from;
    private final int to;

    private Tail(Shared shared, int from, int to) {
        this.shared = shared;
        this.from = from;
        this.to = to;
    }

    /** That list as a tail; itself if it is one. {@code key} gives each element's int, called in order. */
    static <T> Tail<T> of(List<T> list, ToIntFunction<? super T> key) {
        if (list instanceof Tail<T> tail) {
            return tail;
        }
        Shared shared = new Shared(Math.max(LEAST_CAPACITY, list.size()));
        for (T element : list) {
            shared.elements[shared.used] = Objects.requireNonNull(element, "element");
            shared.keys[shared.used++] = key.applyAsInt(element);
        }
        return new Tail<>(shared, 0, shared.used);
    }

    /** This and one element more, without the oldest ones beyond {@code max}. */
    Tail<T> append(T element, int key, int max) {
        int kept = Math.min(size(), max - 1);
        int start = to - kept;
        boolean fits = shared.used == to && to < shared.elements.length;
        Shared target = fits ? shared : copy(start, kept);
        if (!fits) {
            start = 0;
        }
        int at = target.used++;
        target.elements[at] = Objects.requireNonNull(element, "element");
        target.keys[at] = key;
        return new Tail<>(target, start, at + 1);
    }

    private Shared copy(int start, int kept) {
        Shared copy = new Shared(Math.max(LEAST_CAPACITY, kept * 2));
        System.arraycopy(shared.elements, start, copy.elements, 0, kept);
        System.arraycopy(shared.keys, start, copy.keys, 0, kept);
        copy.used = kept;
        return copy;
    }

    /** This without its oldest element. */
    Tail<T> withoutOldest() {
        return new Tail<>(shared, from + 1, to);
    }

    /** The int beside the element at {@code index}. */
    int key(int index) {
        return shared.keys[from + Objects.checkIndex(index, size())];
    }

    /** The greatest index below {@code below} whose element has that key; −1 for none. */
    int lastWithKey(int key, int below) {
        int[] keys = shared.keys;
        for (int i = from + Math.min(below, size()) - 1; i >= from; i--) {
            if (keys[i] == key) {
                return i - from;
            }
        }
        return -1;
    }

    @Override
    @SuppressWarnings("unchecked") // Only elements of T are put in.
    public T get(int index) {
        return (T) shared.elements[from + Objects.checkIndex(index, size())];
    }

    @Override
    public int size() {
        return to - from;
    }

    @Override
    public Object[] toArray() {
        return Arrays.copyOfRange(shared.elements, from, to);
    }
}
