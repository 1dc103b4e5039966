package dev.switchboard.server.shards;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.switchboard.api.WireJson;
import dev.switchboard.delivery.NodeMessage.Answer;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers of operations, between nodes and to operators. Stateless. */
final class Answers {
    private static final Logger LOG = LoggerFactory.getLogger(Answers.class);

    private Answers() {}

    static Answer ok(JsonNode content) {
        return new Answer(200, content.toString());
    }

    static Answer accepted(JsonNode content) {
        return new Answer(202, content.toString());
    }

    /** Something that can't be, and why, for a person. */
    static Answer problem(int status, String why) {
        ObjectNode content = WireJson.json().createObjectNode().put("detail", why);
        return new Answer(status, content.toString());
    }

    static Answer failed(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (cause instanceof IllegalArgumentException) {
            return problem(400, cause.getMessage());
        }
        LOG.warn("an operation failed", cause);
        return problem(503, String.valueOf(cause.getMessage()));
    }
}
