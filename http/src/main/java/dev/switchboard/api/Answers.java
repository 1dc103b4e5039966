package dev.switchboard.api;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.ByteArrayBuilder;
import dev.switchboard.conversation.ErrorCode;
import dev.switchboard.conversation.Refusal;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.pekko.http.javadsl.model.ContentType;
import org.apache.pekko.http.javadsl.model.ContentTypes;
import org.apache.pekko.http.javadsl.model.HttpCharsets;
import org.apache.pekko.http.javadsl.model.HttpEntities;
import org.apache.pekko.http.javadsl.model.HttpHeader;
import org.apache.pekko.http.javadsl.model.HttpResponse;
import org.apache.pekko.http.javadsl.model.MediaTypes;
import org.apache.pekko.http.javadsl.model.headers.RawHeader;

/** Makes the answers of the HTTP API. Stateless; callable from any thread. */
public final class Answers {
    /** {@code application/problem+json}, the form of every error (RFC 9457). */
    public static final ContentType PROBLEM = ContentTypes.create(
            MediaTypes.customWithFixedCharset("application", "problem+json", HttpCharsets.UTF_8, Map.of(), false));

    /** What every answer of the API carries: it belongs to the caller alone and is never to be guessed at. */
    private static final List<HttpHeader> HEADERS = List.of(
            RawHeader.create("Cache-Control", "no-store"), RawHeader.create("X-Content-Type-Options", "nosniff"));

    private static final long DEFAULT_RETRY_SECONDS = 1;

    private Answers() {}

    /** Writes the fields of a JSON object. */
    @FunctionalInterface
    public interface Fields {
        void writeTo(JsonGenerator out) throws IOException;
    }

    /** An answer whose body is one JSON object. */
    public static HttpResponse object(int status, Fields fields) {
        return HttpResponse.create()
                .withStatus(status)
                .addHeaders(HEADERS)
                .withEntity(HttpEntities.create(ContentTypes.APPLICATION_JSON, bytes(fields)));
    }

    /** An answer without a body. */
    public static HttpResponse empty() {
        return HttpResponse.create().withStatus(204).addHeaders(HEADERS);
    }

    /** A refusal as a problem document, with {@code Retry-After} where waiting can help. */
    public static HttpResponse problem(Refusal refusal) {
        ErrorCode code = refusal.code();
        HttpResponse answer = HttpResponse.create()
                .withStatus(code.httpStatus())
                .addHeaders(HEADERS)
                .withEntity(HttpEntities.create(PROBLEM, bytes(out -> {
                    out.writeStringField("type", "urn:switchboard:problem:" + code.wireName());
                    out.writeStringField("title", title(code));
                    out.writeNumberField("status", code.httpStatus());
                    out.writeStringField("detail", refusal.message());
                    WireJson.writeRefusalFields(out, refusal);
                })));
        if (code.httpStatus() == 429 || code.httpStatus() == 503) {
            long seconds = Math.max(DEFAULT_RETRY_SECONDS, (refusal.retryAfter().toMillis() + 999) / 1000);
            answer = answer.addHeader(RawHeader.create("Retry-After", Long.toString(seconds)));
        }
        return code.httpStatus() == 401 ? answer.addHeader(RawHeader.create("WWW-Authenticate", "Bearer")) : answer;
    }

    /** The short title of a code, as in {@code Stale epoch}. */
    static String title(ErrorCode code) {
        String words = code.wireName().replace('-', ' ');
        return words.substring(0, 1).toUpperCase(Locale.ROOT) + words.substring(1);
    }

    /** A library's message as one line of bounded length. */
    static String oneLine(String message) {
        String line = message == null ? "" : message.lines().findFirst().orElse("");
        return line.length() <= 200 ? line : line.substring(0, 200);
    }

    private static byte[] bytes(Fields fields) {
        try (ByteArrayBuilder bytes = new ByteArrayBuilder(512)) {
            try (JsonGenerator out = WireJson.json().getFactory().createGenerator(bytes)) {
                out.writeStartObject();
                fields.writeTo(out);
                out.writeEndObject();
            }
            return bytes.toByteArray();
        } catch (IOException e) {
            throw new UncheckedIOException("an answer can't be written as JSON", e);
        }
    }
}
