package dev.switchboard.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Stands between the storage and a database, and can be cut. Thread-safe. */
public final class TcpProxy implements AutoCloseable {
    private final int target;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final int port;
    private volatile ServerSocket server;
    private final AtomicInteger turnedAway = new AtomicInteger();
    private volatile boolean mute;
    private volatile boolean closedToAll;

    public TcpProxy(int target) throws IOException {
        this.target = target;
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        port = server.getLocalPort();
        listen(server);
    }

    public int port() {
        return port;
    }

    /** Ends new connections as soon as they come, or lets them through again. */
    public void turnAway(boolean all) {
        closedToAll = all;
    }

    /** How many connections were turned away. */
    public int turnedAway() {
        return turnedAway.get();
    }

    /** What the database answers is lost from now on, until {@link #mend}; what it is asked still gets there. */
    public void mute() {
        mute = true;
    }

    /** Ends every connection and refuses new ones. */
    public void cut() throws IOException {
        server.close();
        for (Socket socket : sockets) {
            socket.close();
        }
        sockets.clear();
    }

    /** Takes connections again, after a cut. */
    public void mend() throws IOException {
        mute = false;
        server = new ServerSocket(port, 50, InetAddress.getLoopbackAddress());
        listen(server);
    }

    private void listen(ServerSocket listening) {
        daemon(() -> {
            while (!listening.isClosed()) {
                Socket near = listening.accept();
                if (closedToAll) {
                    near.close();
                    turnedAway.incrementAndGet();
                    continue;
                }
                Socket far = new Socket(InetAddress.getLoopbackAddress(), target);
                sockets.add(near);
                sockets.add(far);
                daemon(() -> copy(near, far, false));
                daemon(() -> copy(far, near, true));
            }
        });
    }

    private interface Io {
        void run() throws IOException;
    }

    private static void daemon(Io work) {
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (IOException e) {
                // A closed socket is how these threads end.
                Thread.currentThread().interrupt();
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    private void copy(Socket from, Socket to, boolean answers) throws IOException {
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] buffer = new byte[64 * 1024];
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                if (!answers || !mute) {
                    out.write(buffer, 0, read);
                }
            }
        }
    }

    @Override
    public void close() throws IOException {
        cut();
    }
}
