package dev.switchboard.server.settings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigValue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BoundTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '^',
            value = {
                "@bounds 1s..1h; 1s",
                "@bounds 1s..1h; 1 hour",
                "@bounds 1s..1h; 90 s",
                "@bounds 1s..1h; 3600000ms",
                "@bounds 1KiB..16MiB; 1KiB",
                "@bounds 1KiB..16MiB; 16MiB",
                "@bounds 1KiB..16MiB; 5 MB",
                "@bounds 1..100; 1",
                "@bounds 1..100; 100",
                "@bounds 1..100; \"42\"",
                "@bounds 0.0..1.0; 0.5",
                "@bounds 0.0..1.0; 1",
                "@one-of manual|auto; auto",
                "@one-of 1|2; 2",
                "@flag; true",
                "@flag; off",
                "@text; \"\"",
                "@text; 17",
                "@list; []",
                "@list; [a, b]",
                "@list; \"a, b\"",
                "@map; {}",
                "@map; {a {b = 1}}",
                "@internal; [1]",
            })
    void shouldAllow(String annotation, String value) {
        assertEquals("", Bound.parse(annotation).objection(valueOf(value)).orElse(""));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '^',
            value = {
                "@bounds 1s..1h; 999ms; is out of range",
                "@bounds 1s..1h; 61m; is out of range",
                "@bounds 1s..1h; 5; is not a duration with a unit, such as 500ms, 10s or 5m",
                "@bounds 1s..1h; 5 parsecs; is not a duration with a unit, such as 500ms, 10s or 5m",
                "@bounds 1s..1h; [1s]; is not a duration with a unit, such as 500ms, 10s or 5m",
                "@bounds 1KiB..16MiB; 1023B; is out of range",
                "@bounds 1KiB..16MiB; 17MiB; is out of range",
                "@bounds 1KiB..16MiB; 4096; is not a size with a unit, such as 64KiB or 4MiB",
                "@bounds 1..100; 0; is out of range",
                "@bounds 1..100; 101; is out of range",
                "@bounds 1..100; 1.5; is not a whole number",
                "@bounds 1..100; ten; is not a whole number",
                "@bounds 1..100; 99999999999999999999; is not a whole number",
                "@bounds 1..100; true; is not a whole number",
                "@bounds 0.0..1.0; 1.01; is out of range",
                "@one-of manual|auto; Auto; is not known",
                "@one-of manual|auto; [auto]; is not known",
                "@flag; maybe; is neither true nor false",
                "@flag; 1; is neither true nor false",
                "@text; {}; is not a text",
                "@text; null; is not a text",
                "@list; 5; is not a list",
                "@map; 5; is not an object",
            })
    void shouldObject(String annotation, String value, String objection) {
        assertEquals(
                objection, Bound.parse(annotation).objection(valueOf(value)).orElse(""));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"@bounds", "@bounds 1s", "@bounds a..b", "@bounds 1s..5", "@between 1..2", "an ordinary line"})
    void shouldRefuseAnnotationsOfNoForm(String annotation) {
        assertThrows(IllegalArgumentException.class, () -> Bound.parse(annotation));
    }

    @Test
    void shouldSayWhatIsAllowed() {
        assertEquals("a duration from 1s to 1h", Bound.parse("@bounds 1s..1h").allowed());
        assertEquals("one of manual, auto", Bound.parse("@one-of manual|auto").allowed());
    }

    private static ConfigValue valueOf(String text) {
        return ConfigFactory.parseString("v = " + text).root().get("v");
    }
}
