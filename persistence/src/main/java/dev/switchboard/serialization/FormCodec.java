package dev.switchboard.serialization;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.Registration;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import com.esotericsoftware.kryo.util.Pool;
import java.io.NotSerializableException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Turns values of the classes of one table into bytes and back, by Kryo with registered classes only. Thread-safe. */
final class FormCodec {
    private static final int POOLED = 16;
    private static final int FIRST_BUFFER_BYTES = 512;

    /** A larger buffer than this isn't kept for the next value. */
    private static final int KEPT_BUFFER_BYTES = 256 * 1024;

    private final Map<Class<?>, Form<?>> byType = new HashMap<>();
    private final Map<String, Form<?>> byName = new HashMap<>();
    private final Pool<Coder> coders;

    FormCodec(List<Form<?>> forms) {
        for (Form<?> form : forms) {
            if (form.isWritten()) {
                byType.put(form.type(), form);
            }
            byName.put(form.name(), form);
        }
        coders = new Pool<>(true, false, POOLED) {
            @Override
            protected Coder create() {
                return new Coder(forms);
            }
        };
    }

    /**
     * The manifest under which a value is stored: a short name and the version of its form, as in {@code c.entry:1}.
     */
    String manifest(Object value) {
        return form(value).manifest();
    }

    /** Throws IllegalArgumentException for a value of a class that is not in the table. */
    byte[] write(Object value) {
        form(value);
        Coder coder = coders.obtain();
        try {
            coder.kryo.writeClassAndObject(coder.output, value);
            return coder.output.toBytes();
        } finally {
            coder.release();
            coders.free(coder);
        }
    }

    /**
     * Reads what some release wrote.
     *
     * @throws NotSerializableException for a manifest that this release doesn't know
     * @throws KryoException for bytes that are not what the manifest says
     */
    Object read(String manifest, byte[] bytes) throws NotSerializableException {
        Form<?> form = formOf(manifest);
        Coder coder = coders.obtain();
        try {
            coder.input.setBuffer(bytes);
            Registration found = coder.kryo.readClass(coder.input);
            if (found == null || found.getId() != form.classId()) {
                throw new KryoException("bytes of "
                        + (found == null ? "null" : found.getType().getName()) + " under the manifest " + manifest);
            }
            Object value = readAs(form, coder);
            if (coder.input.position() != coder.input.limit()) {
                throw new KryoException("bytes are left after a value of the manifest " + manifest);
            }
            return value;
        } catch (KryoException e) {
            throw e;
        } catch (RuntimeException e) {
            throw new KryoException("the bytes under the manifest " + manifest + " can't be read", e);
        } finally {
            coder.release();
            coders.free(coder);
        }
    }

    private static <T> T readAs(Form<T> form, Coder coder) {
        return coder.kryo.readObject(coder.input, form.type(), form);
    }

    private Form<?> form(Object value) {
        Form<?> form = byType.get(value.getClass());
        if (form == null) {
            throw new IllegalArgumentException(
                    "not in the table of forms: " + value.getClass().getName());
        }
        return form;
    }

    private Form<?> formOf(String manifest) throws NotSerializableException {
        int colon = manifest.indexOf(':');
        Form<?> form = colon < 0 ? null : byName.get(manifest.substring(0, colon));
        if (form != null) {
            for (int version = 1; version <= form.newestVersion(); version++) {
                if (manifest.substring(colon + 1).equals(Integer.toString(version))) {
                    return form;
                }
            }
        }
        throw new NotSerializableException("unknown manifest: " + manifest);
    }

    /** A Kryo with its buffers, used by one thread at a time. */
    private static final class Coder {
        final Kryo kryo = new Kryo();
        final Input input = new Input();
        Output output = new Output(FIRST_BUFFER_BYTES, -1);

        Coder(List<Form<?>> forms) {
            kryo.setRegistrationRequired(true);
            kryo.setReferences(false);
            kryo.setMaxDepth(4);
            // What is only read first: where two forms have one class, the one that is written counts for it.
            for (Form<?> form : forms) {
                if (!form.isWritten()) {
                    kryo.register(form.type(), form, form.classId());
                }
            }
            for (Form<?> form : forms) {
                if (form.isWritten()) {
                    kryo.register(form.type(), form, form.classId());
                }
            }
        }

        void release() {
            kryo.reset();
            input.setBuffer(new byte[0]);
            if (output.getBuffer().length > KEPT_BUFFER_BYTES) {
                output = new Output(FIRST_BUFFER_BYTES, -1);
            } else {
                output.reset();
            }
        }
    }
}
