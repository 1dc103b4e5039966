package dev.switchboard.socket;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import com.networknt.schema.ValidationMessage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Holds frames against {@code docs/asyncapi.yaml}: the type is known in that direction and the frame fits its schema. A
 * field that the document doesn't name is a problem, too: clients ignore it, but the document must be complete.
 * Thread-safe.
 */
public final class FrameSchemas {
    private final Map<String, JsonSchema> fromServer = new HashMap<>();
    private final Map<String, JsonSchema> fromClient = new HashMap<>();

    private FrameSchemas(ObjectNode document) {
        prepare(document.at("/components/schemas"));
        collect(document, "fromServer", fromServer);
        collect(document, "fromClient", fromClient);
    }

    /** Reads the document of this source tree, wherever below its root the tests run. */
    public static FrameSchemas load() {
        Path folder = Path.of("").toAbsolutePath();
        while (folder != null && !Files.exists(folder.resolve("docs/asyncapi.yaml"))) {
            folder = folder.getParent();
        }
        if (folder == null) {
            throw new IllegalStateException(
                    "docs/asyncapi.yaml is not above " + Path.of("").toAbsolutePath());
        }
        try {
            return of(Files.readString(folder.resolve("docs/asyncapi.yaml")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Reads the document's YAML. */
    public static FrameSchemas of(String yaml) {
        try {
            return new FrameSchemas((ObjectNode) new YAMLMapper().readTree(yaml));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Forbids what an object's schema doesn't name, unless it says otherwise itself, and makes refs those of a schema.
     */
    private static void prepare(JsonNode node) {
        if (node instanceof ObjectNode object) {
            if (object.path("type").asText().equals("object")
                    && object.has("properties")
                    && !object.has("additionalProperties")) {
                object.put("additionalProperties", false);
            }
            if (object.path("$ref").isTextual()) {
                object.put("$ref", inDefinitions(object.path("$ref").asText()));
            }
        }
        node.forEach(FrameSchemas::prepare);
    }

    private static String inDefinitions(String ref) {
        return ref.replace("#/components/schemas/", "#/$defs/");
    }

    private static void collect(ObjectNode document, String operation, Map<String, JsonSchema> to) {
        JsonNode schemas = document.at("/components/schemas");
        JsonSchemaFactory factory = JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012);
        for (JsonNode message : document.at("/operations/" + operation + "/messages")) {
            JsonNode inChannel = document.at(message.path("$ref").asText().substring(1));
            JsonNode definition = document.at(inChannel.path("$ref").asText().substring(1));
            ObjectNode root = new ObjectMapper().createObjectNode();
            root.put("$ref", inDefinitions(definition.at("/payload/$ref").asText()));
            root.set("$defs", schemas);
            to.put(definition.path("name").asText(), factory.getSchema(root));
        }
    }

    /** The types that a server sends. */
    public Set<String> serverTypes() {
        return new TreeSet<>(fromServer.keySet());
    }

    /** The types that a client sends. */
    public Set<String> clientTypes() {
        return new TreeSet<>(fromClient.keySet());
    }

    /** Fails when a frame of the server isn't what the document says. */
    public void requireFromServer(JsonNode frame) {
        require(frame, fromServer);
    }

    /** Fails when a frame of a client isn't what the document says. */
    public void requireFromClient(JsonNode frame) {
        require(frame, fromClient);
    }

    private static void require(JsonNode frame, Map<String, JsonSchema> schemas) {
        JsonSchema schema = schemas.get(frame.path("type").asText());
        if (schema == null) {
            throw new AssertionError("docs/asyncapi.yaml has no such frame in this direction: " + frame);
        }
        Set<ValidationMessage> problems = schema.validate(frame);
        if (!problems.isEmpty()) {
            throw new AssertionError(frame + "\nis not what docs/asyncapi.yaml says:\n" + problems);
        }
    }
}
