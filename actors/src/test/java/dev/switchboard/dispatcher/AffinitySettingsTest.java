package dev.switchboard.dispatcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AffinitySettingsTest {
    private static AffinitySettings read(String affinity) {
        return AffinitySettings.of(ConfigFactory.parseString("affinity { " + affinity + " }"), 4);
    }

    @Test
    void shouldBeBalancedWithOneLaneAProcessorWithoutAnySetting() {
        AffinitySettings settings = AffinitySettings.of(ConfigFactory.empty(), 4);
        assertEquals(Profile.BALANCED, settings.profile());
        assertEquals(1, settings.lanesMin());
        assertEquals(4, settings.lanesMax());
        assertEquals(50_000, settings.latencyBudgetNs());
        assertEquals(1000, settings.growAt());
        assertEquals(50, settings.shrinkBelow());
    }

    @Test
    void shouldTakeWhatIsSetBeforeTheProfile() {
        AffinitySettings settings = read("profile = low-latency, latency-budget = 7us, spin = 3us, lanes-max = 9");
        assertEquals(7_000, settings.latencyBudgetNs());
        assertEquals(3_000, settings.spinNs());
        assertEquals(Profile.LOW_LATENCY.yieldNs, settings.yieldNs());
        assertEquals(9, settings.lanesMax());
        assertEquals(
                Profile.EFFICIENT.latencyBudgetNs,
                read("profile = efficient, latency-budget = 0us").latencyBudgetNs());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "profile = fast           | affinity.profile",
                "lanes-min = 0            | affinity.lanes-min",
                "lanes-max = 5000         | affinity.lanes-max",
                "lanes-min=3, lanes-max=2 | affinity.lanes-max",
                "latency-budget = 2s      | affinity.latency-budget",
                "naps = -1                | affinity.naps",
                "sample-every = 3         | affinity.sample-every",
                "lanes = 3                | affinity.lanes",
                "spin = x                 | affinity.spin"
            })
    void shouldNameTheSettingThatCannotBe(String affinity, String key) {
        ConfigException refused = assertThrows(ConfigException.class, () -> read(affinity));
        assertTrue(refused.getMessage().contains(key), refused.getMessage());
    }
}
