package dev.switchboard.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/** Ports for tests. Thread-safe. */
public final class Ports {
    private static final int LOWEST = 10_000;
    private static final int BELOW_OUTGOING = 20_000;

    private Ports() {}

    /** A port of the loopback address that nobody listened on a moment ago. */
    public static int free() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * The first of some ports in a row that nobody listened on a moment ago, below those that the system gives to outgoing
     * connections: what takes a while to listen would find a single one of them taken.
     */
    public static int freeRun(int count) {
        while (true) {
            int first = LOWEST + ThreadLocalRandom.current().nextInt(BELOW_OUTGOING - LOWEST - count);
            if (allFree(first, count)) {
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
