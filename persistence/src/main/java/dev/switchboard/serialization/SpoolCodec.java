package dev.switchboard.serialization;

import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import dev.switchboard.conversation.Principal;
import dev.switchboard.conversation.Role;
import dev.switchboard.ports.Spool.RefusedPost;
import dev.switchboard.ports.SpooledPost;
import java.io.IOException;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * The form of what the spool's file holds. Each value ends with a checksum of its own: what the disk gives back wrong must
 * not become a message. Stateless.
 */
public final class SpoolCodec {
    private static final int SMALL_BYTES = 512;
    private static final int MAX_BYTES = 64 * 1024 * 1024;
    private static final Role[] ROLES = Role.values();

    private SpoolCodec() {}

    public static byte[] write(SpooledPost post) {
        Output output = new Output(SMALL_BYTES, MAX_BYTES);
        Out out = new Out(output);
        out.version(1);
        out.text(post.conv());
        principal(out, post.by());
        Parts.person(out, post.sender());
        out.text(post.queue());
        out.text(post.clientMsgId());
        Parts.body(out, post.body());
        out.text(post.after());
        out.flag(post.lookUp());
        out.flag(post.viaSocket());
        out.time(post.at());
        return sealed(output);
    }

    /** Throws IOException for bytes that aren't what {@link #write} made. */
    public static SpooledPost readPost(byte[] bytes) throws IOException {
        In in = opened(bytes);
        try {
            in.version(1);
            return new SpooledPost(
                    in.text(),
                    principal(in),
                    Parts.person(in),
                    in.text(),
                    in.text(),
                    Parts.body(in),
                    in.text(),
                    in.flag(),
                    in.flag(),
                    in.time());
        } catch (KryoException | NullPointerException e) {
            throw new IOException("a spooled post can't be read: " + e.getMessage(), e);
        }
    }

    public static byte[] write(RefusedPost refused) {
        Output output = new Output(SMALL_BYTES, MAX_BYTES);
        Out out = new Out(output);
        out.version(1);
        out.text(refused.conv());
        Parts.person(out, refused.sender());
        out.text(refused.clientMsgId());
        out.text(refused.reason());
        out.time(refused.at());
        return sealed(output);
    }

    /** Throws IOException for bytes that aren't what {@link #write} made. */
    public static RefusedPost readRefused(byte[] bytes) throws IOException {
        In in = opened(bytes);
        try {
            in.version(1);
            return new RefusedPost(in.text(), Parts.person(in), in.text(), in.text(), in.time());
        } catch (KryoException | NullPointerException e) {
            throw new IOException("a refused post can't be read: " + e.getMessage(), e);
        }
    }

    private static void principal(Out out, Principal by) {
        out.version(1);
        out.constant(by.role());
        out.text(by.id());
        out.texts(by.queues());
        out.number(by.priority());
        out.texts(by.skills());
        out.texts(by.customers());
        out.time(by.expires());
    }

    private static Principal principal(In in) {
        in.version(1);
        return new Principal(
                in.constant(ROLES), in.text(), in.texts(), in.smallNumber(), in.texts(), in.texts(), in.time());
    }

    private static byte[] sealed(Output output) {
        int length = output.position();
        output.writeInt(checksum(output.getBuffer(), length));
        return output.toBytes();
    }

    private static In opened(byte[] bytes) throws IOException {
        int length = bytes.length - Integer.BYTES;
        if (length < 1 || new Input(bytes, length, Integer.BYTES).readInt() != checksum(bytes, length)) {
            throw new IOException("a value of " + bytes.length + " bytes has another checksum than it says");
        }
        return new In(new Input(Arrays.copyOf(bytes, length)));
    }

    private static int checksum(byte[] bytes, int length) {
        CRC32C sum = new CRC32C();
        sum.update(bytes, 0, length);
        return (int) sum.getValue();
    }
}
