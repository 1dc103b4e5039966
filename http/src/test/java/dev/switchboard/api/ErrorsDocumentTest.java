package dev.switchboard.api;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.switchboard.conversation.ErrorCode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The published documents say what the code does. */
class ErrorsDocumentTest {
    private static final Pattern ROW =
            Pattern.compile("^\\| `([a-z-]+)` \\| (\\d{3}) \\| (yes|no) \\| \\S.*? \\| \\S.*? \\|$", Pattern.MULTILINE);

    @Test
    void shouldListEveryCodeWithItsStatusAndWhetherARetryHelps() {
        List<String> documented = new ArrayList<>();
        Matcher row = ROW.matcher(ApiFixture.document("errors.md"));
        while (row.find()) {
            documented.add(row.group(1) + " " + row.group(2) + " " + row.group(3));
        }
        List<String> real = Arrays.stream(ErrorCode.values())
                .map(code -> code.wireName() + " " + code.httpStatus() + " " + (code.retryable() ? "yes" : "no"))
                .toList();
        assertEquals(real, documented);
    }

    @Test
    void shouldDocumentEveryCallAndNoOther() {
        try (ApiFixture api = new ApiFixture()) {
            TreeSet<String> real = new TreeSet<>(api.api.table().describe());
            real.add("GET /openapi.yaml");
            real.add("GET /asyncapi.yaml");
            assertEquals(List.copyOf(real), ApiFixture.CONTRACT.calls());
        }
    }

    @Test
    void shouldGiveOutTheDocumentThatIsInTheDocsFolder() {
        try (ApiFixture api = new ApiFixture()) {
            ApiFixture.Answer answer = api.get(null, "/openapi.yaml");
            assertEquals(200, answer.status());
            assertEquals(ApiFixture.document("openapi.yaml"), answer.text());
        }
    }
}
