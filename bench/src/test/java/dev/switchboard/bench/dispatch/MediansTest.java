package dev.switchboard.bench.dispatch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.switchboard.bench.Medians;
import java.util.List;
import org.junit.jupiter.api.Test;

class MediansTest {
    @Test
    void shouldTakeTheMiddleOfAnOddNumber() {
        assertEquals(3, Medians.of(9, 1, 3));
    }

    @Test
    void shouldTakeTheMeanOfTheMiddleTwoOfAnEvenNumber() {
        assertEquals(2.5, Medians.of(4, 1, 2, 3));
    }

    @Test
    void shouldLeaveOutWhatIsNotANumber() {
        assertEquals(2, Medians.of(Double.NaN, 2, Double.NaN));
        assertTrue(Double.isNaN(Medians.of(Double.NaN)));
        assertTrue(Double.isNaN(Medians.of()));
    }

    @Test
    void shouldTakeTheMedianFigureByFigure() {
        Measured median = Measured.median(List.of(figures(1, 30), figures(2, 10), figures(3, 20)));
        assertEquals(2, median.p50());
        assertEquals(20, median.throughput());
    }

    @Test
    void shouldReadBackWhatItWrote() {
        Result result = new Result(3, "fork-join", "bursts-100000", 2, figures(12.5, Double.NaN));
        assertEquals(result, Result.parse(result.toLine()));
        assertEquals(Result.COLUMNS.split("\t", -1).length, result.toLine().split("\t", -1).length);
    }

    @Test
    void shouldRefuseALineThatIsCutOff() {
        String line = new Result(1, "fork-join", "idle", 2, figures(1, 1)).toLine();
        String cut = line.substring(0, line.lastIndexOf('\t'));
        assertThrows(IllegalArgumentException.class, () -> Result.parse(cut));
        assertThrows(IllegalArgumentException.class, () -> Result.parse("1\tfork-join"));
    }

    static Measured figures(double p50, double throughput) {
        return new Measured(p50, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, throughput, 0, 500);
    }
}
