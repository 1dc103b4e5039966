package dev.switchboard.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.switchboard.conversation.ConversationIds;
import dev.switchboard.conversation.ErrorCode;
import dev.switchboard.conversation.Principal;
import dev.switchboard.conversation.Refusal;
import dev.switchboard.conversation.Role;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;
import org.apache.pekko.http.javadsl.model.HttpHeader;
import org.apache.pekko.http.javadsl.model.HttpRequest;
import org.apache.pekko.http.javadsl.model.Query;

/**
 * One call of the API: who makes it, and what it says. Immutable; what the client sent is checked where it is read,
 * and a
 * {@link RefusedException} names what can't be taken.
 */
final class Call {
    private final Principal principal;
    private final HttpRequest request;
    private final Map<String, String> path;
    private final byte[] body;
    private final Query query;

    /**
     * Puts a call together.
     *
     * @param principal who calls, with its queues resolved
     * @param path the values of the path's variables, decoded
     * @param body the whole body; empty when there is none
     */
    Call(Principal principal, HttpRequest request, Map<String, String> path, byte[] body) {
        this.principal = principal;
        this.request = request;
        this.path = path;
        this.body = body;
        this.query = query(request);
    }

    private static Query query(HttpRequest request) {
        try {
            return request.getUri().query();
        } catch (RuntimeException e) {
            throw new RefusedException(Refusal.of(ErrorCode.MALFORMED, "the query can't be read"));
        }
    }

    Principal principal() {
        return principal;
    }

    /** The conversation that the path names. One that can't exist is not found. */
    String conv() {
        String conv = path.get("conv");
        if (!ConversationIds.isWellFormed(conv)) {
            throw new RefusedException(ConversationCalls.notFound());
        }
        return conv;
    }

    /** A person's id that the path names; a name that can't be one is refused with that code. */
    String personId(String variable, ErrorCode whenImpossible) {
        return pathText(variable, ConversationIds.PERSON_ID, whenImpossible);
    }

    /** A queue that the path names. */
    String queueName(ErrorCode whenImpossible) {
        return pathText("queue", ConversationIds.QUEUE, whenImpossible);
    }

    String pathText(String variable) {
        return path.get(variable);
    }

    private String pathText(String variable, Pattern pattern, ErrorCode whenImpossible) {
        String text = path.get(variable);
        if (!pattern.matcher(text).matches()) {
            throw new RefusedException(Refusal.of(whenImpossible, "'" + variable + "' must match " + pattern.pattern())
                    .withFact("field", variable));
        }
        return text;
    }

    /** The body's fields; no body counts as an empty object. */
    JsonFields fields() {
        if (body.length == 0) {
            return JsonFields.of(JsonNodeFactory.instance.objectNode());
        }
        try {
            return JsonFields.of(WireJson.json().readTree(body));
        } catch (JsonProcessingException e) {
            throw new RefusedException(
                    Refusal.of(ErrorCode.MALFORMED, "the body is no JSON: " + Answers.oneLine(e.getOriginalMessage())));
        } catch (IOException e) {
            throw new RefusedException(Refusal.of(ErrorCode.MALFORMED, "the body can't be read as UTF-8"));
        }
    }

    /** A query parameter, if it is there and not empty. */
    Optional<String> query(String name) {
        return query.get(name).filter(text -> !text.isEmpty());
    }

    Optional<String> query(String name, Pattern pattern) {
        Optional<String> text = query(name);
        if (text.isPresent() && !pattern.matcher(text.get()).matches()) {
            throw RefusedException.invalid(name, "must match " + pattern.pattern());
        }
        return text;
    }

    Optional<String> queryOneOf(String name, List<String> words) {
        Optional<String> text = query(name);
        if (text.isPresent() && !words.contains(text.get())) {
            throw RefusedException.invalid(name, "must be one of " + String.join(", ", words));
        }
        return text;
    }

    long queryNumber(String name, long min, long max, long whenAbsent) {
        Optional<String> text = query(name);
        if (text.isEmpty()) {
            return whenAbsent;
        }
        try {
            long value = Long.parseLong(text.get());
            if (value >= min && value <= max) {
                return value;
            }
            throw RefusedException.invalid(name, "must be " + min + " to " + max + ", not " + value);
        } catch (NumberFormatException e) {
            throw RefusedException.invalid(name, "must be a whole number");
        }
    }

    /** How many items an answer may have. */
    int limit() {
        return (int) queryNumber("limit", 1, WireJson.MAX_LIMIT, 50);
    }

    /** The request's id, or null when the client gave none. */
    String idempotencyKey() {
        Optional<HttpHeader> header = request.getHeader("Idempotency-Key");
        if (header.isEmpty()) {
            return null;
        }
        String key = header.get().value().strip();
        JsonFields.checkRequestId("Idempotency-Key", key);
        return key;
    }

    /**
     * The request's id; a new one when the client gave none. A change always has one, because the gateway repeats
     * what is
     * not answered.
     */
    String idempotencyKeyOrNew() {
        String key = idempotencyKey();
        return key == null ? UUID.randomUUID().toString() : key;
    }

    /** The request's id, which the client must give. */
    String requiredIdempotencyKey() {
        String key = idempotencyKey();
        if (key == null) {
            throw RefusedException.invalid("Idempotency-Key", "is missing: this call needs the header");
        }
        return key;
    }

    /** The ownership epoch that the body names: agents must, for others it is optional and 0 when absent. */
    long epoch(JsonFields fields) {
        return principal.role() == Role.AGENT
                ? fields.requiredInteger("epoch", 1, Long.MAX_VALUE)
                : fields.integer("epoch", 0, Long.MAX_VALUE, 0);
    }

    /** Refuses everybody but these roles. */
    void requireRole(Role... roles) {
        for (Role role : roles) {
            if (principal.role() == role) {
                return;
            }
        }
        throw new RefusedException(
                Refusal.of(ErrorCode.FORBIDDEN, "a " + principal.role().wireName() + " may not do this"));
    }
}
