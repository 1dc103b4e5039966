package dev.switchboard.bench;

import java.io.EOFException;
import java.io.IOException;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * One WebSocket of a {@link LoadLoop}, used on the loop's thread only. It masks with a key of zeros, which leaves the
 * payload as it is: allowed by the frame format, free of cost, and no choice for a client that faces a browser's
 * threats.
 */
final class LoadConnection {
    /** What a connection's person does with what happens on it. Called on the loop's thread. */
    interface Person {
        /** The WebSocket is open. */
        void opened(LoadConnection connection);

        /** A text frame came; {@code frame} is valid during the call. */
        void frame(LoadConnection connection, FrameScan frame);

        /** The connection is over. */
        void closed(LoadConnection connection, String why);
    }

    private static final int TEXT = 0x1;
    private static final int CLOSE = 0x8;
    private static final int PING = 0x9;
    private static final int PONG = 0xA;
    private static final byte[] HEADER_END = FrameScan.ascii("\r\n\r\n");

    private final LoadLoop loop;
    private final SocketChannel channel;
    private final Person person;
    private SelectionKey key;
    private boolean upgraded;
    private boolean over;
    private byte[] in = new byte[2048];
    private int inStart;
    private int inEnd;
    private byte[] out = new byte[512];
    private int outStart;
    private int outEnd;
    private boolean dirty;

    LoadConnection(LoadLoop loop, SocketChannel channel, Person person) {
        this.loop = loop;
        this.channel = channel;
        this.person = person;
    }

    void registered(SelectionKey withKey) {
        key = withKey;
    }

    Person person() {
        return person;
    }

    boolean isOver() {
        return over;
    }

    void connected(String host) throws IOException {
        if (!channel.finishConnect()) {
            return;
        }
        key.interestOps(SelectionKey.OP_READ);
        byte[] request = FrameScan.ascii("GET /api/v1/socket HTTP/1.1\r\nHost: " + host
                + "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                + "Sec-WebSocket-Key: c3dpdGNoYm9hcmRiZW5jaA==\r\nSec-WebSocket-Protocol: switchboard.v1.json\r\n\r\n");
        reserve(request.length);
        System.arraycopy(request, 0, out, outEnd, request.length);
        outEnd += request.length;
        markDirty();
    }

    /** Sends one text frame. */
    void send(byte[] payload, int length) {
        frame(TEXT, payload, 0, length);
    }

    private void frame(int opcode, byte[] payload, int offset, int length) {
        if (over) {
            return;
        }
        if (length > 0xFFFF) {
            throw new IllegalArgumentException("a frame of " + length + " bytes is beyond what this client sends");
        }
        reserve(length + 8);
        out[outEnd++] = (byte) (0x80 | opcode);
        if (length < 126) {
            out[outEnd++] = (byte) (0x80 | length);
        } else {
            out[outEnd++] = (byte) (0x80 | 126);
            out[outEnd++] = (byte) (length >> 8);
            out[outEnd++] = (byte) length;
        }
        Arrays.fill(out, outEnd, outEnd + 4, (byte) 0);
        outEnd += 4;
        System.arraycopy(payload, offset, out, outEnd, length);
        outEnd += length;
        markDirty();
    }

    private void reserve(int more) {
        if (outEnd + more <= out.length) {
            return;
        }
        int held = outEnd - outStart;
        byte[] room = held + more > out.length ? new byte[Math.max(out.length * 2, held + more)] : out;
        System.arraycopy(out, outStart, room, 0, held);
        out = room;
        outStart = 0;
        outEnd = held;
    }

    private void markDirty() {
        if (!dirty) {
            dirty = true;
            loop.dirty(this);
        }
    }

    /** Writes what is there; what the socket doesn't take goes when it can. */
    void flush() throws IOException {
        dirty = false;
        if (over) {
            return;
        }
        if (outStart < outEnd) {
            outStart += channel.write(ByteBuffer.wrap(out, outStart, outEnd - outStart));
        }
        if (outStart == outEnd) {
            outStart = 0;
            outEnd = 0;
            if (key.interestOps() != SelectionKey.OP_READ) {
                key.interestOps(SelectionKey.OP_READ);
            }
        } else {
            key.interestOps(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
        }
    }

    /** Reads what is there and hands over each whole frame. */
    void read(FrameScan scan) throws IOException {
        while (true) {
            if (inEnd == in.length) {
                makeRoom();
            }
            int wanted = in.length - inEnd;
            int got = channel.read(ByteBuffer.wrap(in, inEnd, wanted));
            if (got < 0) {
                throw new EOFException("the server ended the connection");
            }
            inEnd += got;
            if (!upgraded) {
                upgrade();
            }
            boolean more = upgraded;
            while (more && !over) {
                more = nextFrame(scan);
            }
            if (over || got < wanted) {
                return;
            }
        }
    }

    private void makeRoom() {
        if (inStart > 0) {
            System.arraycopy(in, inStart, in, 0, inEnd - inStart);
            inEnd -= inStart;
            inStart = 0;
        }
        if (inEnd > in.length / 2) {
            in = Arrays.copyOf(in, in.length * 2);
        }
    }

    private void upgrade() throws IOException {
        for (int at = inStart; at + 4 <= inEnd; at++) {
            if (Arrays.equals(in, at, at + 4, HEADER_END, 0, 4)) {
                String head = new String(in, inStart, at - inStart, StandardCharsets.ISO_8859_1);
                if (!head.startsWith("HTTP/1.1 101")) {
                    throw new ProtocolException(
                            "no upgrade: " + head.lines().findFirst().orElse(""));
                }
                inStart = at + 4;
                upgraded = true;
                person.opened(this);
                return;
            }
        }
    }

    private boolean nextFrame(FrameScan scan) throws IOException {
        int have = inEnd - inStart;
        if (have < 2) {
            return false;
        }
        int opcode = in[inStart] & 0x0F;
        boolean last = (in[inStart] & 0x80) != 0;
        int head = 2;
        long length = in[inStart + 1] & 0x7F;
        if (length == 126) {
            head = 4;
            length = have < 4 ? Long.MAX_VALUE : ((in[inStart + 2] & 0xFF) << 8) | (in[inStart + 3] & 0xFF);
        } else if (length == 127) {
            head = 10;
            length = have < 10
                    ? Long.MAX_VALUE
                    : ByteBuffer.wrap(in, inStart + 2, 8).getLong();
        }
        if (length > have - head) {
            return false;
        }
        if (!last) {
            throw new ProtocolException("this client takes whole frames only");
        }
        int payload = inStart + head;
        inStart = payload + (int) length;
        switch (opcode) {
            case TEXT -> {
                scan.scan(in, payload, (int) length);
                person.frame(this, scan);
            }
            case PING -> frame(PONG, in, payload, (int) length);
            case CLOSE -> throw new EOFException("the server closed the WebSocket");
            default -> {
                // Pongs say nothing to a load client.
            }
        }
        if (inStart == inEnd) {
            inStart = 0;
            inEnd = 0;
        }
        return true;
    }

    /** Ends the connection without a word and tells its person. */
    void end(String why) {
        if (over) {
            return;
        }
        over = true;
        try {
            channel.close();
        } catch (IOException e) {
            why += "; and " + e.getMessage();
        }
        person.closed(this, why);
    }
}
