package dev.switchboard.api;

import dev.switchboard.conversation.ErrorCode;
import dev.switchboard.conversation.Refusal;
import java.io.ByteArrayOutputStream;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.http.javadsl.model.ContentType;
import org.apache.pekko.http.javadsl.model.HttpEntity;
import org.apache.pekko.http.javadsl.model.HttpRequest;
import org.apache.pekko.http.javadsl.model.MediaType;
import org.apache.pekko.http.javadsl.model.RequestEntity;
import org.apache.pekko.stream.javadsl.Sink;
import org.apache.pekko.util.ByteString;

/**
 * Reads requests' bodies, bounded in bytes and time. Thread-safe; never blocks. What goes beyond the limit is still
 * taken
 * from the connection, up to {@link #DRAINED_BYTES}, but not kept: a client that is cut off while it sends never
 * reads the
 * answer that says why.
 */
final class RequestBodies {
    /** How much of a refused body is taken from the connection before it is cut. */
    static final long DRAINED_BYTES = 16L * 1024 * 1024;

    private static final byte[] NONE = new byte[0];

    private final ActorSystem<?> system;
    private final HttpSettings settings;

    RequestBodies(ActorSystem<?> system, HttpSettings settings) {
        this.system = system;
        this.settings = settings;
    }

    /**
     * The whole body of JSON; empty when there is none. The stage fails with a RefusedException for what can't be
     * taken.
     */
    CompletionStage<byte[]> read(HttpRequest request) {
        RequestEntity entity = request.entity();
        if (entity.isKnownEmpty()) {
            return CompletableFuture.completedFuture(NONE);
        }
        OptionalLong length = entity.getContentLengthOption();
        if (length.isPresent() && length.getAsLong() > settings.maxRequestBytes()) {
            drain(request);
            throw tooLarge();
        }
        if (!isJson(entity.getContentType())) {
            drain(request);
            throw new RefusedException(Refusal.of(
                    ErrorCode.UNSUPPORTED_MEDIA_TYPE,
                    "the body must be application/json, not "
                            + Answers.oneLine(entity.getContentType().toString())));
        }
        if (entity instanceof HttpEntity.Strict strict) {
            return CompletableFuture.completedFuture(strict.getData().toArray());
        }
        return entity.withoutSizeLimit()
                .getDataBytes()
                .completionTimeout(settings.bodyTimeout())
                .limitWeighted(DRAINED_BYTES, bytes -> (long) bytes.size())
                .runWith(Sink.fold(new Kept(settings.maxRequestBytes()), Kept::add), system)
                .thenApply(kept -> {
                    if (kept.isTooLarge()) {
                        throw tooLarge();
                    }
                    return kept.toByteArray();
                });
    }

    /** Takes what is left of a body that nobody read, so that the connection can go on or the answer be read. */
    void drain(HttpRequest request) {
        RequestEntity entity = request.entity();
        // A client that waits for "100 Continue" has not sent it yet, and need not.
        boolean waits = request.getHeader("Expect").isPresent();
        if (!entity.isStrict() && !entity.isKnownEmpty() && !waits) {
            entity.withoutSizeLimit()
                    .getDataBytes()
                    .completionTimeout(settings.bodyTimeout())
                    .limitWeighted(DRAINED_BYTES, bytes -> (long) bytes.size())
                    .runWith(Sink.ignore(), system);
        }
    }

    RefusedException tooLarge() {
        return RefusedException.tooLarge("body", settings.maxRequestBytes(), "bytes");
    }

    private static boolean isJson(ContentType type) {
        MediaType media = type.mediaType();
        return media.mainType().equals("application") && media.subType().equals("json");
    }

    /** What of a body is kept: all, or nothing once it is too large. Used by one stream. */
    private static final class Kept {
        private final long limit;
        private ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        Kept(long limit) {
            this.limit = limit;
        }

        Kept add(ByteString more) {
            if (bytes != null && bytes.size() + (long) more.size() > limit) {
                bytes = null;
            }
            if (bytes != null) {
                bytes.writeBytes(more.toArray());
            }
            return this;
        }

        boolean isTooLarge() {
            return bytes == null;
        }

        byte[] toByteArray() {
            return bytes.toByteArray();
        }
    }
}
