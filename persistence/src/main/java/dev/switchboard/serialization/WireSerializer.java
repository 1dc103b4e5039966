package dev.switchboard.serialization;

import com.esotericsoftware.kryo.KryoException;
import java.io.NotSerializableException;
import org.apache.pekko.actor.ExtendedActorSystem;
import org.apache.pekko.actor.typed.ActorRefResolver;
import org.apache.pekko.actor.typed.javadsl.Adapter;
import org.apache.pekko.serialization.SerializerWithStringManifest;

/**
 * Serializes the messages between nodes. They need be understood only by the releases of one rolling upgrade, and are
 * never stored: see {@link WireShape}. Made by Pekko; thread-safe.
 */
public final class WireSerializer extends SerializerWithStringManifest {
    /** The identifier by which nodes know it: never changed. */
    public static final int SERIALIZER_ID = 53_402;

    private final ExtendedActorSystem system;
    private volatile FormCodec codec;

    /** Pekko's constructor. */
    public WireSerializer(ExtendedActorSystem system) {
        this.system = system;
    }

    @Override
    public int identifier() {
        return SERIALIZER_ID;
    }

    @Override
    public String manifest(Object value) {
        return codec().manifest(value);
    }

    @Override
    public byte[] toBinary(Object value) {
        return codec().write(value);
    }

    /** Throws nothing but NotSerializableException: any other would end the connection between the two nodes. */
    @Override
    public Object fromBinary(byte[] bytes, String manifest) throws NotSerializableException {
        try {
            return codec().read(manifest, bytes);
        } catch (KryoException e) {
            NotSerializableException failure =
                    new NotSerializableException("a message " + manifest + " can't be read here: " + e.getMessage());
            failure.initCause(e);
            throw failure;
        }
    }

    /** Made at first use: while Pekko makes its serializers, the resolver of references isn't there yet. */
    private FormCodec codec() {
        FormCodec made = codec;
        if (made == null) {
            synchronized (this) {
                made = codec;
                if (made == null) {
                    ActorRefResolver resolver = ActorRefResolver.get(Adapter.toTyped(system));
                    made = new FormCodec(
                            WireForms.all(new WireShapes(resolver::toSerializationFormat, resolver::resolveActorRef)));
                    codec = made;
                }
            }
        }
        return made;
    }
}
