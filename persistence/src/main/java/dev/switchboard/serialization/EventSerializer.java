package dev.switchboard.serialization;

import java.io.NotSerializableException;
import org.apache.pekko.actor.ExtendedActorSystem;
import org.apache.pekko.serialization.SerializerWithStringManifest;

/** Pekko's view of {@link EventCodec}, bound to all that is persisted. Made by Pekko; thread-safe. */
public final class EventSerializer extends SerializerWithStringManifest {
    private final EventCodec codec = new EventCodec();

    /** Pekko's constructor. */
    public EventSerializer(ExtendedActorSystem system) {}

    @Override
    public int identifier() {
        return EventCodec.SERIALIZER_ID;
    }

    @Override
    public String manifest(Object value) {
        return codec.manifest(value);
    }

    @Override
    public byte[] toBinary(Object value) {
        return codec.write(value);
    }

    @Override
    public Object fromBinary(byte[] bytes, String manifest) throws NotSerializableException {
        return codec.read(manifest, bytes);
    }
}
