package dev.switchboard.conformance;

import dev.switchboard.harness.ServerAddress;
import java.net.URI;

/** The server that the suite runs against. Immutable. {@code own} is false for a server that somebody else runs. */
record Target(ServerAddress address, Tokens tokens, boolean own) {
    /** The property that names an external server, such as {@code http://10.0.0.5:8080}. */
    static final String HTTP = "switchboard.conformance.http";

    /** The property that names the external server's management address; needed by few tests. */
    static final String MANAGEMENT = "switchboard.conformance.management";

    static Target external(String http) {
        URI at = URI.create(http);
        String management = System.getProperty(MANAGEMENT);
        int managementPort = management == null ? 0 : URI.create(management).getPort();
        return new Target(new ServerAddress(at.getHost(), at.getPort(), managementPort), Tokens.external(), false);
    }
}
