package dev.switchboard.server.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ProcTextTest {
    @Test
    void shouldReadTheTimesOfAThreadWhoseNameHasBlanksAndBrackets() {
        ProcText.TaskStat stat = taskStat("stat-bracket.txt");
        assertEquals("a (b) c) R 1", stat.name());
        assertEquals('R', stat.state());
        assertEquals(170_000_000, stat.userNs());
        assertEquals(0, stat.systemNs());
        assertFalse(stat.ofKernel());
    }

    @Test
    void shouldTellTheKernelsThreadsFromPrograms() {
        assertTrue(taskStat("stat-kernel.txt").ofKernel());
        assertEquals("kthreadd", taskStat("stat-kernel.txt").name());
        assertFalse(taskStat("stat-plain.txt").ofKernel());
    }

    @Test
    void shouldReadSwitchesFromTheEndOfAStatus() {
        byte[] status = Recorded.bytes("status-bracket.txt");
        assertEquals(new ProcText.Switches(40, 33), ProcText.switches(status, status.length));
    }

    @Test
    void shouldReadANameFromAStatus() {
        byte[] status = Recorded.bytes("status-bracket.txt");
        assertEquals("a (b) c) R 1", ProcText.name(status, status.length));
    }

    @Test
    void shouldNotTakeThePartOfALineForTheOther() {
        byte[] status = ascii(
                "Name:\tvoluntary_ctxt_switches: 7\nvoluntary_ctxt_switches:\t1\nnonvoluntary_ctxt_switches:\t2\n");
        assertEquals(new ProcText.Switches(1, 2), ProcText.switches(status, status.length));
    }

    @Test
    void shouldReadHowLongAThreadRanAndWaited() {
        byte[] schedstat = Recorded.bytes("schedstat-bracket.txt");
        assertEquals(
                new ProcText.RunTimes(176_445_056, 12_755_070, 74), ProcText.runTimes(schedstat, schedstat.length));
    }

    @Test
    void shouldReadTheSystemsTotals() {
        byte[] stat = Recorded.bytes("system-stat.txt");
        SystemTotals totals = ProcText.systemTotals(stat, stat.length);
        String text = Recorded.text("system-stat.txt");
        assertEquals(2, totals.processors());
        assertEquals(number(text, "ctxt"), totals.switches());
        assertEquals(number(text, "intr"), totals.interrupts());
        assertEquals(number(text, "softirq"), totals.softInterrupts());
        assertEquals(number(text, "processes"), totals.forks());
        assertEquals(number(text, "procs_running"), totals.running());
        assertEquals(number(text, "procs_blocked"), totals.blocked());
        assertEquals((cpu(text, 1) + cpu(text, 2)) * 10_000_000, totals.cpu().user());
        assertEquals(cpu(text, 4) * 10_000_000, totals.cpu().idle());
        assertEquals(cpu(text, 8) * 10_000_000, totals.cpu().steal());
    }

    @Test
    void shouldReadTheTotalsOfAKernelThatKnowsNeitherStealNorSoftInterrupts() {
        byte[] old = ascii("cpu  10 1 5 100\ncpu0 10 1 5 100\nintr 7\nctxt 99\nbtime 1\nprocesses 3\n");
        SystemTotals totals = ProcText.systemTotals(old, old.length);
        assertEquals(110_000_000, totals.cpu().user());
        assertEquals(0, totals.cpu().steal());
        assertEquals(1, totals.processors());
        assertEquals(99, totals.switches());
    }

    @Test
    void shouldReadLoadAndPressure() {
        assertEquals(0.23, ProcText.loadAverages("0.23 0.76 1.49 2/92 22518\n").one());
        assertTrue(ProcText.pressureUs(Recorded.text("pressure-cpu.txt")) > 1_000_000);
        assertThrows(IllegalArgumentException.class, () -> ProcText.pressureUs("nothing"));
    }

    @Test
    void shouldCountTheCoresAProcessMayUse() {
        assertEquals("0-1", ProcText.statusValue(Recorded.text("status-plain.txt"), "Cpus_allowed_list"));
        assertEquals(2, ProcText.sizeOfList("0-1"));
        assertEquals(6, ProcText.sizeOfList("0-3,8,12"));
        assertEquals(0, ProcText.sizeOfList(""));
    }

    @Test
    void shouldShowATextThatItDoesNotKnow() {
        byte[] nonsense = ascii("nonsense");
        assertThrows(IllegalArgumentException.class, () -> ProcText.taskStat(nonsense, nonsense.length));
        IllegalArgumentException refused =
                assertThrows(IllegalArgumentException.class, () -> ProcText.switches(nonsense, nonsense.length));
        assertTrue(refused.getMessage().contains("nonsense"));
    }

    private static ProcText.TaskStat taskStat(String name) {
        byte[] text = Recorded.bytes(name);
        return ProcText.taskStat(text, text.length);
    }

    private static long number(String text, String key) {
        return text.lines()
                .filter(line -> line.startsWith(key + " "))
                .mapToLong(line -> Long.parseLong(line.split(" ", -1)[1]))
                .findFirst()
                .orElseThrow();
    }

    private static long cpu(String text, int field) {
        return Long.parseLong(text.lines().findFirst().orElseThrow().split(" +", -1)[field]);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
