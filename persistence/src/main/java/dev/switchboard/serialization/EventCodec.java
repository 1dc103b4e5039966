package dev.switchboard.serialization;

import java.io.NotSerializableException;

/**
 * Turns events and snapshots into bytes and back. Needs no actor system, so the history can be read without one.
 * Thread-safe.
 */
public final class EventCodec {
    /** The identifier that is stored with every event: never changed. */
    public static final int SERIALIZER_ID = 53_401;

    private final FormCodec codec = new FormCodec(EventForms.all());

    /**
     * The manifest under which a value is stored: a short name and the version of its form, as in {@code c.entry:1}.
     */
    public String manifest(Object value) {
        return codec.manifest(value);
    }

    /** Throws IllegalArgumentException for a value of a class that is not in the table. */
    public byte[] write(Object value) {
        return codec.write(value);
    }

    /**
     * Reads what some release wrote.
     *
     * @throws NotSerializableException for a manifest that this release doesn't know
     * @throws com.esotericsoftware.kryo.KryoException for bytes that are not what the manifest says
     */
    public Object read(String manifest, byte[] bytes) throws NotSerializableException {
        return codec.read(manifest, bytes);
    }
}
