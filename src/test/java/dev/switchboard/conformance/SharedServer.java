package dev.switchboard.conformance;

import dev.switchboard.harness.Folders;
import dev.switchboard.harness.ServerInProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/**
 * Gives every test class of the suite the same server: the one that {@link Target#HTTP} names, or one that it starts in
 * this process and ends after the last test. The tests keep apart by names: each has queues, agents and customers of
 * its own.
 */
final class SharedServer implements BeforeAllCallback {
    private static final Namespace NAMESPACE = Namespace.create(SharedServer.class);
    private static volatile Target target;

    /** The server under test. */
    static Target target() {
        return target;
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        var unused = context.getRoot().getStore(NAMESPACE).getOrComputeIfAbsent(Running.class, key -> new Running());
    }

    private static void use(Target found) {
        target = found;
    }

    private static final class Running implements AutoCloseable {
        private final Path folder = Folders.temporary("switchboard-conformance-");
        private final ServerInProcess server;

        Running() {
            String external = System.getProperty(Target.HTTP);
            if (external != null) {
                server = null;
                use(Target.external(external));
                return;
            }
            Path key = folder.resolve("key");
            server = ServerInProcess.start(settings(key));
            use(new Target(server.address(), Tokens.signed(key, "test", "conformance", "switchboard"), true));
        }

        @Override
        public void close() {
            if (server != null) {
                server.close();
            }
            Folders.delete(folder);
        }
    }

    /** Signed tokens, and short times so that the tests of absence needn't wait as long as people do. */
    static Map<String, Object> settings(Path key) {
        byte[] secret = new byte[32];
        for (int i = 0; i < secret.length; i++) {
            secret[i] = (byte) (i * 7 + 1);
        }
        try {
            Files.writeString(key, Base64.getEncoder().encodeToString(secret) + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Map.of(
                "switchboard.auth.mode", "jwt",
                "switchboard.auth.issuer", "conformance",
                "switchboard.auth.audience", "switchboard",
                "switchboard.auth.keys", List.of(Map.of("id", "test", "algorithm", "HS256", "file", key.toString())),
                "switchboard.socket.heartbeat", "1s",
                "switchboard.socket.hello-timeout", "2s");
    }
}
