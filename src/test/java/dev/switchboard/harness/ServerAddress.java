package dev.switchboard.harness;

import java.net.URI;

/** Where a server listens: all that a client needs to know of it. Immutable. */
public record ServerAddress(String host, int httpPort, int managementPort) {
    /** {@code http://host:port}, without a path. */
    public URI http() {
        return URI.create("http://" + host + ":" + httpPort);
    }

    /** The address of a call of the API, such as {@code api("/conversations")}. */
    public URI api(String path) {
        return URI.create(http() + "/api/v1" + path);
    }

    /** The address of the WebSocket. */
    public URI socket() {
        return URI.create("ws://" + host + ":" + httpPort + "/api/v1/socket");
    }

    /** The address of a path on the management port, such as {@code management("/ready")}. */
    public URI management(String path) {
        return URI.create("http://" + host + ":" + managementPort + path);
    }
}
