package dev.switchboard.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/** Ports for tests. Thread-safe. */
public final class Ports {
    private static final int MOST = 65_535;

    private Ports() {}

    /** A port of the loopback address that nobody listened on a moment ago. */
    public static int free() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The first of some ports in a row that nobody listened on a moment ago. */
    public static int freeRun(int count) {
        while (true) {
            int first = free();
            if (first + count <= MOST && allFree(first + 1, count - 1)) {
                return first;
            }
        }
    }

    private static boolean allFree(int first, int count) {
        for (int port = first; port < first + count; port++) {
            try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                socket.getLocalPort();
            } catch (IOException e) {
                return false;
            }
        }
        return true;
    }
}
