package dev.switchboard.api;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Optional;
import org.apache.pekko.http.javadsl.model.ContentType;
import org.apache.pekko.http.javadsl.model.ContentTypes;
import org.apache.pekko.http.javadsl.model.HttpEntities;
import org.apache.pekko.http.javadsl.model.HttpResponse;
import org.apache.pekko.http.javadsl.model.MediaTypes;
import org.apache.pekko.http.javadsl.server.Directives;
import org.apache.pekko.http.javadsl.server.Route;

/**
 * The published forms of the protocol, for everybody: {@code /openapi.yaml} and {@code /asyncapi.yaml}. They are the
 * files
 * in the project's {@code docs} folder, taken into the jar by the build. Stateless.
 */
final class Documents {
    private static final ContentType YAML = ContentTypes.create(MediaTypes.customBinary("application", "yaml", true));

    private Documents() {}

    /** The route below the API's base path. */
    static Route route() {
        return Directives.concat(document("openapi.yaml"), document("asyncapi.yaml"));
    }

    private static Route document(String name) {
        Optional<byte[]> text = read(name);
        return Directives.path(
                name,
                () -> Directives.get(() -> text.isEmpty()
                        ? Directives.reject()
                        : Directives.complete(
                                HttpResponse.create().withEntity(HttpEntities.create(YAML, text.orElseThrow())))));
    }

    /** The document, if this build has it. */
    static Optional<byte[]> read(String name) {
        try (InputStream in = Documents.class.getResourceAsStream(name)) {
            return in == null ? Optional.empty() : Optional.of(in.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + name, e);
        }
    }
}
