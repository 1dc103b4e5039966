package dev.switchboard.conformance;

import dev.switchboard.harness.ServerAddress;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * A WebSocket without a library, for what a library would never send: frames in single bytes, frames of any opcode and
 * size, or a socket that nobody reads. For one thread.
 */
final class RawSocket implements AutoCloseable {
    static final int TEXT = 0x1;
    static final int BINARY = 0x2;
    static final int CLOSE = 0x8;
    static final int PING = 0x9;
    static final int PONG = 0xA;

    /** A frame that came; {@code opcode} −1 stands for the end of the connection, {@code closeCode} −1 for none. */
    record Frame(int opcode, String text, int closeCode) {
        static Frame of(int opcode, byte[] payload) {
            int code = opcode == CLOSE && payload.length >= 2 ? ((payload[0] & 0xFF) << 8) | (payload[1] & 0xFF) : -1;
            return new Frame(opcode, new String(payload, StandardCharsets.UTF_8), code);
        }

        boolean isEnd() {
            return opcode < 0;
        }
    }

    private static final Frame END = new Frame(-1, "", -1);

    private final Socket socket;
    private final DataInputStream in;
    private final OutputStream out;
    private final String responseHead;

    private RawSocket(Socket socket, String responseHead) throws IOException {
        this.socket = socket;
        this.in = new DataInputStream(new java.io.BufferedInputStream(socket.getInputStream()));
        this.out = socket.getOutputStream();
        this.responseHead = responseHead;
    }

    /**
     * Connects and upgrades with that subprotocol; null offers none. The response may be a refusal: see {@link
     * #status}.
     */
    static RawSocket open(ServerAddress address, String subprotocol) {
        return open(address, subprotocol, 0, "");
    }

    /** As above, with a receive buffer of that size (0: the system's) and further header lines, each ending in CRLF. */
    static RawSocket open(ServerAddress address, String subprotocol, int receiveBufferBytes, String headers) {
        Socket socket = new Socket();
        try {
            if (receiveBufferBytes > 0) {
                socket.setReceiveBufferSize(receiveBufferBytes);
            }
            socket.setTcpNoDelay(true);
            socket.setSoTimeout((int) Scene.PATIENCE.toMillis());
            socket.connect(new InetSocketAddress(address.host(), address.httpPort()), 5_000);
            String request = "GET /api/v1/socket HTTP/1.1\r\nHost: " + address.host() + ":" + address.httpPort()
                    + "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                    + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                    + (subprotocol == null ? "" : "Sec-WebSocket-Protocol: " + subprotocol + "\r\n")
                    + headers
                    + "\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            ByteArrayOutputStream head = new ByteArrayOutputStream();
            // Byte by byte: what follows the head belongs to the frames.
            while (!head.toString(StandardCharsets.ISO_8859_1).endsWith("\r\n\r\n")) {
                int next = socket.getInputStream().read();
                if (next < 0) {
                    throw new EOFException("the server closed the connection after: " + head);
                }
                head.write(next);
            }
            return new RawSocket(socket, head.toString(StandardCharsets.ISO_8859_1));
        } catch (IOException e) {
            try {
                socket.close();
            } catch (IOException again) {
                e.addSuppressed(again);
            }
            throw new UncheckedIOException(e);
        }
    }

    /** The status of the server's answer to the upgrade. */
    int status() {
        return Integer.parseInt(responseHead.split(" ", 3)[1]);
    }

    /** The head of the server's answer to the upgrade. */
    String responseHead() {
        return responseHead;
    }

    /** One whole frame, masked as a client must. Nothing happens when the server has closed the connection. */
    void send(int opcode, byte[] payload) {
        write(frame(opcode, payload));
    }

    void sendText(String text) {
        send(TEXT, text.getBytes(StandardCharsets.UTF_8));
    }

    /** One frame, each byte in a packet of its own. */
    void sendInSingleBytes(String text) {
        for (byte one : frame(TEXT, text.getBytes(StandardCharsets.UTF_8))) {
            write(new byte[] {one});
        }
    }

    /** Bytes as they are. Nothing happens when the server has closed the connection. */
    void write(byte[] bytes) {
        try {
            out.write(bytes);
            out.flush();
        } catch (SocketException e) {
            // The server may close while a too large frame is still on its way: what it said is read by next().
            assert !socket.isClosed() : e;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The bytes of one final frame, masked. */
    static byte[] frame(int opcode, byte[] payload) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(payload.length + 14);
        bytes.write(0x80 | opcode);
        if (payload.length < 126) {
            bytes.write(0x80 | payload.length);
        } else if (payload.length < 65536) {
            bytes.write(0x80 | 126);
            bytes.write(payload.length >> 8);
            bytes.write(payload.length);
        } else {
            bytes.write(0x80 | 127);
            for (int shift = 56; shift >= 0; shift -= 8) {
                bytes.write((int) ((long) payload.length >> shift));
            }
        }
        byte[] mask = {0x12, 0x34, 0x56, 0x78};
        bytes.writeBytes(mask);
        byte[] masked = payload.clone();
        for (int i = 0; i < masked.length; i++) {
            masked[i] ^= mask[i % 4];
        }
        bytes.writeBytes(masked);
        return bytes.toByteArray();
    }

    /** The next frame, whatever it is; the end of the connection counts as one. */
    Frame next() {
        return next(Scene.PATIENCE);
    }

    Frame next(Duration patience) {
        try {
            socket.setSoTimeout((int) Math.max(1, patience.toMillis()));
            int first = in.read();
            if (first < 0) {
                return END;
            }
            int second = in.readUnsignedByte();
            long length = second & 0x7F;
            if (length == 126) {
                length = in.readUnsignedShort();
            } else if (length == 127) {
                length = in.readLong();
            }
            return Frame.of(first & 0x0F, in.readNBytes(Math.toIntExact(length)));
        } catch (SocketTimeoutException e) {
            throw new AssertionError("the server sent nothing within " + patience, e);
        } catch (SocketException | EOFException e) {
            return END;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The next text frame that holds that; pings are answered on the way. Fails at the end of the connection. */
    Frame await(String part) {
        while (true) {
            Frame frame = next();
            if (frame.isEnd() || frame.opcode() == CLOSE) {
                throw new AssertionError("the connection ended before " + part + " came: " + frame.closeCode());
            }
            if (frame.opcode() == TEXT && frame.text().contains("\"type\":\"ping\"")) {
                sendText("{\"type\":\"pong\"}");
            } else if (frame.opcode() == TEXT && frame.text().contains(part)) {
                return frame;
            }
        }
    }

    /** Reads until the server closes; gives all the text that came before, and the close code at the end. */
    String untilClosed() {
        StringBuilder all = new StringBuilder();
        while (true) {
            Frame frame = next();
            if (frame.isEnd()) {
                return all.append("closed").toString();
            }
            if (frame.opcode() == CLOSE) {
                all.append("close ").append(frame.closeCode()).append('\n');
            } else if (frame.opcode() == TEXT) {
                all.append(frame.text()).append('\n');
            }
        }
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
