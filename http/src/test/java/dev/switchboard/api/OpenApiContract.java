package dev.switchboard.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.networknt.schema.JsonMetaSchema;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.NonValidationKeyword;
import com.networknt.schema.SpecVersion;
import com.networknt.schema.ValidationMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Holds answers of the HTTP API against the OpenAPI document: the path and method are known, the status is declared,
 * the
 * media type is the declared one, and the body fits the schema. A field that the document doesn't name is a problem,
 * too:
 * clients may ignore it, but the document must be complete. Thread-safe.
 */
public final class OpenApiContract {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** JSON Schema of 2020-12 as OpenAPI 3.1 uses it; the document's own parts are no keywords of a schema. */
    private static final JsonSchemaFactory SCHEMAS = JsonSchemaFactory.getInstance(
            SpecVersion.VersionFlag.V202012,
            factory -> factory.metaSchema(JsonMetaSchema.builder(JsonMetaSchema.getV202012())
                    .keyword(new NonValidationKeyword("paths"))
                    .keyword(new NonValidationKeyword("components"))
                    .build()));

    private final ObjectNode document;
    private final Map<String, JsonSchema> schemas = new ConcurrentHashMap<>();

    private OpenApiContract(ObjectNode document) {
        this.document = document;
    }

    /** Reads the document's YAML. */
    public static OpenApiContract of(String yaml) {
        try {
            ObjectNode document = (ObjectNode) new YAMLMapper().readTree(yaml);
            close(document.get("paths"));
            close(document.get("components"));
            return new OpenApiContract(document);
        } catch (JsonProcessingException e) {
            throw new AssertionError("the OpenAPI document is no YAML", e);
        }
    }

    /** Forbids what an object's schema doesn't name, unless it says otherwise itself. */
    private static void close(JsonNode node) {
        if (node instanceof ObjectNode object) {
            boolean schema = object.path("type").isTextual()
                    && object.path("type").asText().equals("object")
                    && object.has("properties");
            if (schema && !object.has("additionalProperties")) {
                object.put("additionalProperties", false);
            }
        }
        node.forEach(OpenApiContract::close);
    }

    /** Every call of the document, as {@code GET /conversations/{conv}}, sorted. */
    public List<String> calls() {
        TreeSet<String> calls = new TreeSet<>();
        for (Map.Entry<String, JsonNode> path : document.get("paths").properties()) {
            for (Map.Entry<String, JsonNode> operation : path.getValue().properties()) {
                if (List.of("get", "put", "post", "delete", "patch", "head").contains(operation.getKey())) {
                    calls.add(operation.getKey().toUpperCase(java.util.Locale.ROOT) + " " + path.getKey());
                }
            }
        }
        return List.copyOf(calls);
    }

    /**
     * Fails when an answer isn't what the document says.
     *
     * @param path the request's path behind {@code /api/v1}, encoded, without its query
     * @param contentType the answer's; null when it has no body
     * @param body the answer's body; may be empty
     */
    public void check(String method, String path, int status, String contentType, String body) {
        List<String> problems = problems(method, path, status, contentType, body);
        if (!problems.isEmpty()) {
            throw new AssertionError(method + " " + path + " answered " + status + " " + body
                    + "\nwhich is not what the OpenAPI document says:\n" + String.join("\n", problems));
        }
    }

    /** What is wrong with an answer; empty when it is what the document says. */
    public List<String> problems(String method, String path, int status, String contentType, String body) {
        Optional<String> template = template(path);
        if (template.isEmpty()) {
            return problem(status, contentType, body);
        }
        String operation = "/paths/" + escape(template.get()) + "/" + method.toLowerCase(java.util.Locale.ROOT);
        if (document.at(operation).isMissingNode()) {
            return problem(status, contentType, body);
        }
        String response = operation + "/responses/" + status;
        if (document.at(response).isMissingNode()) {
            response = operation + "/responses/default";
            if (status < 400 || document.at(response).isMissingNode()) {
                return List.of("the status is not declared");
            }
        }
        if (document.at(response).has("$ref")) {
            response = document.at(response).get("$ref").asText().substring(1);
        }
        JsonNode content = document.at(response + "/content");
        if (content.isMissingNode()) {
            return body.isEmpty() ? List.of() : List.of("no body is declared");
        }
        String media = contentType == null ? "" : contentType.split(";", 2)[0].strip();
        if (!content.has(media)) {
            return List.of("the media type '" + media + "' is not declared");
        }
        String schema = response + "/content/" + escape(media) + "/schema";
        return document.at(schema).isMissingNode() ? List.of() : validate(schema, body);
    }

    /** What isn't a call of the document can only be refused. */
    private List<String> problem(int status, String contentType, String body) {
        return status < 400 || contentType == null || !contentType.startsWith("application/problem+json")
                ? List.of("the document has no such call, but it was not refused by a problem document")
                : validate("/components/schemas/Problem", body);
    }

    private List<String> validate(String pointer, String body) {
        JsonNode json;
        try {
            json = JSON.readTree(body);
        } catch (JsonProcessingException e) {
            return List.of("the body is no JSON");
        }
        List<String> problems = new ArrayList<>();
        for (ValidationMessage message :
                schemas.computeIfAbsent(pointer, this::schema).validate(json)) {
            problems.add(message.toString());
        }
        return problems;
    }

    private JsonSchema schema(String pointer) {
        ObjectNode root = JSON.createObjectNode();
        root.put("$schema", "https://json-schema.org/draft/2020-12/schema");
        root.put("$ref", "#" + pointer.replace("{", "%7B").replace("}", "%7D"));
        root.set("paths", document.get("paths"));
        root.set("components", document.get("components"));
        return SCHEMAS.getSchema(root);
    }

    /** The document's path that a request's path matches; one without variables goes first. */
    private Optional<String> template(String path) {
        String[] segments = path.split("/", -1);
        Optional<String> found = Optional.empty();
        for (Map.Entry<String, JsonNode> entry : document.get("paths").properties()) {
            String[] pattern = entry.getKey().split("/", -1);
            boolean matches = pattern.length == segments.length;
            for (int i = 0; matches && i < pattern.length; i++) {
                matches = pattern[i].startsWith("{") || pattern[i].equals(segments[i]);
            }
            if (matches && (found.isEmpty() || !entry.getKey().contains("{"))) {
                found = Optional.of(entry.getKey());
            }
        }
        return found;
    }

    private static String escape(String segment) {
        return segment.replace("~", "~0").replace("/", "~1");
    }
}
