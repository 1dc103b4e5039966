package dev.switchboard.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Holds the style sheet's colours to WCAG 2.2 AA, in both themes: 4.5 to 1 for text, 3 to 1 for borders of controls. */
class ContrastTest {
    private static final String SHEET = read();
    private static final Map<String, Integer> LIGHT = colours(SHEET.indexOf(":root {"));
    private static final Map<String, Integer> DARK = colours(SHEET.indexOf(":root[data-theme='dark'] {"));

    @ParameterizedTest
    @CsvSource({
        "text, bg, 4.5",
        "text, surface, 4.5",
        "text, sunken, 4.5",
        "text, accent-soft, 4.5",
        "muted, bg, 4.5",
        "muted, surface, 4.5",
        "muted, sunken, 4.5",
        "muted, accent-soft, 4.5",
        "link, surface, 4.5",
        "link, bg, 4.5",
        "link, mine, 4.5",
        "link, accent-soft, 4.5",
        "accent-text, accent, 4.5",
        "mine-text, mine, 4.5",
        "note-text, note, 4.5",
        "bad, surface, 4.5",
        "bad, bg, 4.5",
        "bad, bad-soft, 4.5",
        "surface, bad, 4.5",
        "warn, surface, 4.5",
        "warn, warn-soft, 4.5",
        "good, surface, 3",
        "accent, mine, 3",
        "focus, surface, 3",
        "focus, bg, 3",
        "line-strong, surface, 3",
        "line-strong, bg, 3"
    })
    void shouldBeReadable(String front, String back, double least) {
        assertContrast(LIGHT, "light", front, back, least);
        assertContrast(DARK, "dark", front, back, least);
    }

    @Test
    void shouldHaveTheSameDarkColoursByDeviceAndByChoice() {
        assertEquals(DARK, colours(SHEET.indexOf(":root:not([data-theme='light']) {")));
        assertEquals(LIGHT.keySet(), DARK.keySet());
    }

    private static void assertContrast(
            Map<String, Integer> theme, String name, String front, String back, double least) {
        double brighter = Math.max(luminance(theme.get(front)), luminance(theme.get(back)));
        double darker = Math.min(luminance(theme.get(front)), luminance(theme.get(back)));
        double contrast = (brighter + 0.05) / (darker + 0.05);
        assertTrue(contrast >= least, name + ": " + front + " on " + back + " is " + contrast);
    }

    /** The relative luminance of an sRGB colour, as WCAG defines it. */
    private static double luminance(int colour) {
        return 0.2126 * linear(colour >> 16 & 0xff)
                + 0.7152 * linear(colour >> 8 & 0xff)
                + 0.0722 * linear(colour & 0xff);
    }

    private static double linear(int channel) {
        double c = channel / 255.0;
        return c <= 0.04045 ? c / 12.92 : Math.pow((c + 0.055) / 1.055, 2.4);
    }

    private static Map<String, Integer> colours(int from) {
        String block = SHEET.substring(from, SHEET.indexOf('}', from));
        Map<String, Integer> colours = new HashMap<>();
        Matcher matcher = Pattern.compile("--([a-z-]+): #([0-9a-f]{6});").matcher(block);
        while (matcher.find()) {
            colours.put(matcher.group(1), Integer.parseInt(matcher.group(2), 16));
        }
        return colours;
    }

    private static String read() {
        try (InputStream in = Pages.class.getResourceAsStream("assets/switchboard.css")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
