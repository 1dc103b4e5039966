package dev.switchboard.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.switchboard.conversation.ErrorCode;
import dev.switchboard.conversation.Refusal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/**
 * Reads the fields of one JSON object that a client sent. Not thread-safe. A field of the wrong type or beyond its
 * bounds
 * ends in a {@link RefusedException} with the code {@code invalid} or {@code too-large} that names it; an unknown
 * field is
 * ignored, since fields may be added; {@code null} counts as absent.
 *
 * <p>Text with an unpaired surrogate is refused: it has no UTF-8 form, so it could be accepted but never delivered.
 */
public final class JsonFields {
    private final ObjectNode object;
    private final String path;

    private JsonFields(ObjectNode object, String path) {
        this.object = object;
        this.path = path;
    }

    /** The fields of a frame or a request's body. Refuses anything but an object as {@code malformed}. */
    public static JsonFields of(JsonNode node) {
        if (node instanceof ObjectNode found) {
            return new JsonFields(found, "");
        }
        throw new RefusedException(Refusal.of(ErrorCode.MALFORMED, "a JSON object was expected"));
    }

    /** The fields of an object inside this one, or null when it is absent. */
    public JsonFields object(String name) {
        JsonNode node = find(name);
        if (node == null) {
            return null;
        }
        if (node instanceof ObjectNode found) {
            return new JsonFields(found, path + name + ".");
        }
        throw invalid(name, "must be an object");
    }

    /** The fields of an object inside this one that must be there. */
    public JsonFields requiredObject(String name) {
        JsonFields fields = object(name);
        if (fields == null) {
            throw invalid(name, "is missing");
        }
        return fields;
    }

    public boolean has(String name) {
        return find(name) != null;
    }

    /** A text of at most {@code maxBytes} bytes of UTF-8, or null when it is absent. */
    public String text(String name, int maxBytes) {
        JsonNode node = find(name);
        return node == null ? null : checkText(name, node, maxBytes);
    }

    /** A text that must be there and not be empty. */
    public String requiredText(String name, int maxBytes) {
        String text = text(name, maxBytes);
        if (text == null) {
            throw invalid(name, "is missing");
        }
        if (text.isEmpty()) {
            throw invalid(name, "must not be empty");
        }
        return text;
    }

    /** A text that matches the pattern, or null when it is absent. */
    public String matching(String name, Pattern pattern) {
        String text = text(name, Integer.MAX_VALUE);
        if (text != null && !pattern.matcher(text).matches()) {
            throw invalid(name, "must match " + pattern.pattern());
        }
        return text;
    }

    /** A text that matches the pattern and must be there. */
    public String requiredMatching(String name, Pattern pattern) {
        String text = matching(name, pattern);
        if (text == null) {
            throw invalid(name, "is missing");
        }
        return text;
    }

    /** One of the words, or null when it is absent. */
    public String oneOf(String name, List<String> words) {
        String text = text(name, Integer.MAX_VALUE);
        if (text != null && !words.contains(text)) {
            throw invalid(name, "must be one of " + String.join(", ", words));
        }
        return text;
    }

    /** A request's id: 1 to {@link WireJson#MAX_ID_BYTES} bytes without control characters; null when it is absent. */
    public String requestId(String name) {
        String id = text(name, Integer.MAX_VALUE);
        if (id != null) {
            checkRequestId(path + name, id);
        }
        return id;
    }

    /** A request's id that must be there. */
    public String requiredRequestId(String name) {
        String id = requestId(name);
        if (id == null) {
            throw invalid(name, "is missing");
        }
        return id;
    }

    static void checkRequestId(String name, String id) {
        if (id.isEmpty()) {
            throw RefusedException.invalid(name, "must not be empty");
        }
        if (utf8Length(id) > WireJson.MAX_ID_BYTES) {
            throw RefusedException.invalid(name, "may have at most " + WireJson.MAX_ID_BYTES + " bytes");
        }
        if (id.chars().anyMatch(Character::isISOControl)) {
            throw RefusedException.invalid(name, "must not have control characters");
        }
    }

    /** A whole number within the bounds, or empty when it is absent. */
    public OptionalLong integer(String name, long min, long max) {
        JsonNode node = find(name);
        if (node == null) {
            return OptionalLong.empty();
        }
        if (!node.isIntegralNumber() || !node.canConvertToLong()) {
            throw invalid(name, "must be a whole number");
        }
        long value = node.longValue();
        if (value < min || value > max) {
            throw invalid(name, "must be " + min + " to " + max + ", not " + value);
        }
        return OptionalLong.of(value);
    }

    /** A whole number within the bounds, or the default when it is absent. */
    public long integer(String name, long min, long max, long whenAbsent) {
        return integer(name, min, max).orElse(whenAbsent);
    }

    /** A whole number that must be there. */
    public long requiredInteger(String name, long min, long max) {
        return integer(name, min, max).orElseThrow(() -> invalid(name, "is missing"));
    }

    /** A duration that is given as whole milliseconds, or the default when it is absent. */
    public Duration millis(String name, Duration min, Duration max, Duration whenAbsent) {
        OptionalLong millis = integer(name, min.toMillis(), max.toMillis());
        return millis.isPresent() ? Duration.ofMillis(millis.getAsLong()) : whenAbsent;
    }

    public boolean flag(String name, boolean whenAbsent) {
        JsonNode node = find(name);
        if (node == null) {
            return whenAbsent;
        }
        if (!node.isBoolean()) {
            throw invalid(name, "must be true or false");
        }
        return node.booleanValue();
    }

    /** A list of at most {@code maxItems} texts that match the pattern; null when it is absent. */
    public List<String> texts(String name, int maxItems, Pattern pattern) {
        JsonNode node = find(name);
        if (node == null) {
            return null;
        }
        if (!(node instanceof ArrayNode array)) {
            throw invalid(name, "must be a list");
        }
        if (array.size() > maxItems) {
            throw invalid(name, "may have at most " + maxItems + " items");
        }
        List<String> texts = new ArrayList<>(array.size());
        for (int i = 0; i < array.size(); i++) {
            String item = name + "[" + i + "]";
            String text = checkText(item, array.get(i), Integer.MAX_VALUE);
            if (!pattern.matcher(text).matches()) {
                throw invalid(item, "must match " + pattern.pattern());
            }
            texts.add(text);
        }
        return texts;
    }

    /**
     * A flat object of texts whose names and values have at most {@code maxBytes} bytes together; empty when absent.
     */
    public Map<String, String> textMap(String name, int maxBytes) {
        JsonNode node = find(name);
        if (node == null) {
            return Map.of();
        }
        if (!(node instanceof ObjectNode map)) {
            throw invalid(name, "must be an object of texts");
        }
        Map<String, String> texts = new LinkedHashMap<>();
        long bytes = 0;
        for (Map.Entry<String, JsonNode> field : map.properties()) {
            if (hasUnpairedSurrogate(field.getKey())) {
                throw invalid(name, "has a name that is not valid Unicode");
            }
            String text = checkText(name + "." + field.getKey(), field.getValue(), Integer.MAX_VALUE);
            bytes += utf8Length(field.getKey()) + utf8Length(text);
            if (bytes > maxBytes) {
                throw RefusedException.tooLarge(path + name, maxBytes, "bytes");
            }
            texts.put(field.getKey(), text);
        }
        return texts;
    }

    /** A refusal of a field of this object. */
    public RefusedException invalid(String name, String problem) {
        return RefusedException.invalid(path + name, problem);
    }

    private String checkText(String name, JsonNode node, int maxBytes) {
        if (!node.isTextual()) {
            throw invalid(name, "must be a text");
        }
        String text = node.textValue();
        if (text.length() > maxBytes || (text.length() > maxBytes / 3 && utf8Length(text) > maxBytes)) {
            throw RefusedException.tooLarge(path + name, maxBytes, "bytes");
        }
        if (hasUnpairedSurrogate(text)) {
            throw invalid(name, "is not valid Unicode");
        }
        return text;
    }

    private JsonNode find(String name) {
        JsonNode node = object.get(name);
        return node == null || node.isNull() ? null : node;
    }

    static boolean hasUnpairedSurrogate(String text) {
        int length = text.length();
        for (int i = 0; i < length; i++) {
            char c = text.charAt(i);
            if (Character.isSurrogate(c)) {
                boolean paired =
                        Character.isHighSurrogate(c) && i + 1 < length && Character.isLowSurrogate(text.charAt(i + 1));
                if (!paired) {
                    return true;
                }
                i++;
            }
        }
        return false;
    }

    static int utf8Length(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }
}
