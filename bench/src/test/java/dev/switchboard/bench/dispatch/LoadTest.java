package dev.switchboard.bench.dispatch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LoadTest {
    @Test
    void shouldReadTheNamesItGives() {
        for (Load load : Load.ALL) {
            assertEquals(load, Load.parse(load.name()));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "steady", "steady-", "steady-0", "steady--5", "bursts-1e5", "steady-99999999", "floods"})
    void shouldRefuseWhatIsNoLoad(String text) {
        IllegalArgumentException refused = assertThrows(IllegalArgumentException.class, () -> Load.parse(text));
        assertTrue(refused.getMessage().contains("'" + text + "'"), refused.getMessage());
    }
}
