package dev.switchboard.server.doctor;

import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** An examination in words and tables, for people. Stateless but for its text; one thread uses it. */
final class TextReport {
    private static final int THREADS_SHOWN = 15;

    private final Examination examination;
    private final Window window;
    private final StringBuilder text = new StringBuilder();

    private TextReport(Examination examination) {
        this.examination = examination;
        this.window = examination.window();
    }

    static String of(Examination examination) {
        TextReport report = new TextReport(examination);
        report.head();
        report.findings();
        report.process();
        report.reconciliation();
        report.system();
        report.threads();
        report.others();
        report.baseline();
        report.looks();
        report.notes();
        return report.text.toString();
    }

    private void head() {
        line(
                "Process %d (%s), %s, over %s s, looked at every %s s, %d cores",
                window.target().pid(),
                window.target().program(),
                window.startedAt().truncatedTo(ChronoUnit.SECONDS),
                seconds(),
                Wording.number(examination.intervalSeconds()),
                window.cores());
    }

    private void findings() {
        Diagnosis diagnosis = examination.diagnosis();
        Diagnosis.Finding verdict = diagnosis.verdict();
        line("");
        line("VERDICT: %s", title(verdict));
        finding(verdict);
        for (Diagnosis.Finding finding :
                diagnosis.findings().subList(1, diagnosis.findings().size())) {
            line("");
            line("Also: %s", title(finding));
            finding(finding);
        }
    }

    private static String title(Diagnosis.Finding finding) {
        boolean caused = finding.cause() != Diagnosis.Cause.UNKNOWN && finding.cause() != Diagnosis.Cause.NONE;
        return finding.kind().wireName().replace('-', ' ')
                + (caused ? ", " + finding.cause().wireName().replace('-', ' ') : "")
                + switch (finding.sure()) {
                    case HIGH -> " (quite sure)";
                    case MEDIUM -> " (likely)";
                    case LOW -> " (a guess)";
                };
    }

    private void finding(Diagnosis.Finding finding) {
        line("  %s", finding.saw());
        finding.evidence().forEach(one -> line("  - %s", one));
        if (!finding.next().isEmpty()) {
            line("  Next:");
            finding.next().forEach(one -> line("  > %s", one));
        }
    }

    private void process() {
        long born = window.threads().stream().filter(ThreadFigures::born).count();
        long ended = window.threads().stream().filter(ThreadFigures::ended).count();
        line("");
        line("The process, per second over %s s, and the most between two looks", seconds());
        perSecond("voluntary switches", window.voluntaryPerSecond(), look -> look.voluntary() / look.seconds());
        perSecond("involuntary switches", window.involuntaryPerSecond(), look -> look.involuntary() / look.seconds());
        perSecond("cores used", window.coresUsed(), look -> look.cpuNs() / 1e9 / look.seconds());
        if (window.waitsKnown()) {
            perSecond("threads without a core", window.waiting(), look -> look.waitNs() / 1e9 / look.seconds());
        }
        line("  %-24s %10d   started %d, ended %d", "threads", window.threads().size() - ended, born, ended);
    }

    private void perSecond(String name, double average, ToDoubleFunction<Window.Look> read) {
        double most = window.looks().stream().mapToDouble(read).max().orElse(0);
        line("  %-24s %10s %10s", name, Wording.number(average), Wording.number(most));
    }

    private void reconciliation() {
        Reconciliation sums = examination.reconciliation();
        line("");
        line(
                "Where the system's %s switches of these %s s were made",
                Wording.number((double) sums.total()), seconds());
        share("this process", sums.own(), sums.total());
        share("other processes", sums.processes(), sums.total());
        share("the kernel's threads", sums.kernel(), sums.total());
        share("soft interrupts' threads", sums.softInterruptThreads(), sums.total());
        share("idle tasks, unseen", sums.unseen(), sums.total());
        line(
                "  Soft interrupts used %s s of processor time, mostly without a switch.",
                Wording.number(sums.softInterruptCpuNs() / 1e9));
    }

    private void share(String name, long switches, long total) {
        line(
                "  %-24s %10s %10s",
                name, Wording.number((double) switches), Wording.percent(switches / Math.max(1.0, (double) total)));
    }

    private void system() {
        SystemTotals system = window.system();
        SystemTotals.Cpu cpu = system.cpu();
        double all = Math.max(1, cpu.total());
        line("");
        line("The machine, over %s s: %d processors", seconds(), system.processors());
        line(
                "  user %s, system %s, idle %s, iowait %s, interrupts %s, steal %s",
                Wording.percent(cpu.user() / all),
                Wording.percent(cpu.system() / all),
                Wording.percent(cpu.idle() / all),
                Wording.percent(cpu.ioWait() / all),
                Wording.percent((cpu.irq() + cpu.softIrq()) / all),
                Wording.percent(cpu.steal() / all));
        line(
                "  run queue %d (most %d), blocked %d (most %d), load averages %s %s %s",
                system.running(),
                window.looks().stream()
                        .mapToInt(look -> look.system().running())
                        .max()
                        .orElse(0),
                system.blocked(),
                window.looks().stream()
                        .mapToInt(look -> look.system().blocked())
                        .max()
                        .orElse(0),
                Wording.number(window.loadAverages().one()),
                Wording.number(window.loadAverages().five()),
                Wording.number(window.loadAverages().fifteen()));
        line(
                "  %s switches/s, %s interrupts/s, %s processes and threads started/s, somebody waited for a core %s of the time",
                Wording.number(system.switches() / window.seconds()),
                Wording.number(system.interrupts() / window.seconds()),
                Wording.number(system.forks() / window.seconds()),
                Wording.percent(window.pressure()));
    }

    private void threads() {
        List<ThreadFigures> busiest = window.threads().stream()
                .sorted(Comparator.comparingLong(ThreadFigures::switches).reversed())
                .limit(THREADS_SHOWN)
                .toList();
        line("");
        line(
                "Threads by switches, per second over %s s (%d of %d)",
                seconds(), busiest.size(), window.threads().size());
        line(
                "  %8s %-16s %10s %11s %10s %6s %6s  %s",
                "tid", "name", "voluntary", "involuntary", "peak", "CPU", "wait", "waits for");
        for (ThreadFigures thread : busiest) {
            line(
                    "  %8d %-16s %10s %11s %10s %6s %6s  %s",
                    thread.tid(),
                    thread.name(),
                    Wording.number(thread.voluntary() / window.seconds()),
                    Wording.number(thread.involuntary() / window.seconds()),
                    Wording.number(thread.peakPerSecond()),
                    Wording.percent(thread.cpuNs() / 1e9 / window.seconds()),
                    window.waitsKnown() ? Wording.percent(thread.waitNs() / 1e9 / window.seconds()) : "?",
                    (thread.waits().isEmpty() ? "" : thread.mostSeenWait().words())
                            + (thread.born() ? " (new)" : "")
                            + (thread.ended() ? " (ended)" : ""));
        }
    }

    private void others() {
        if (!window.others().busiest().isEmpty()) {
            line("");
            line("Other processes by switches, over %s s", seconds());
            for (Others.Busy other : window.others().busiest()) {
                line(
                        "  %8d %-16s %10s/s, %s cores",
                        other.pid(),
                        other.name(),
                        Wording.number(other.switches() / window.seconds()),
                        Wording.number(other.cpuNs() / 1e9 / window.seconds()));
            }
        }
    }

    private void baseline() {
        Baseline baseline = examination.baseline();
        if (baseline == null) {
            return;
        }
        line("");
        line(
                "Against the baseline %s (%s, %s s, %d looks)",
                baseline.name(),
                baseline.savedAt().truncatedTo(ChronoUnit.SECONDS),
                Wording.number(baseline.seconds()),
                baseline.looks());
        for (Measure measure : Measure.values()) {
            Baseline.Spread then = baseline.measures().get(measure);
            if (then != null) {
                line(
                        "  %-9s %10s, was %s (%s to %s): %s",
                        baseline.standing(measure, window).name().toLowerCase(Locale.ROOT),
                        Wording.number(measure.of(window)),
                        Wording.number(then.mean()),
                        Wording.number(then.least()),
                        Wording.number(then.most()),
                        measure.words());
            }
        }
    }

    private void looks() {
        line("");
        line("The samples: each line is what happened between two looks");
        line(
                "  %6s %7s %10s %11s %6s %7s | %4s %4s %10s %10s %5s %5s %5s %5s %5s",
                "at s",
                "threads",
                "voluntary",
                "involuntary",
                "cores",
                "waiting",
                "r",
                "b",
                "cs/s",
                "in/s",
                "us",
                "sy",
                "id",
                "wa",
                "st");
        for (Window.Look look : window.looks()) {
            SystemTotals.Cpu cpu = look.system().cpu();
            double all = Math.max(1, cpu.total()) / 100.0;
            line(
                    "  %6.1f %7d %10d %11d %6.2f %7s | %4d %4d %10.0f %10.0f %5.0f %5.0f %5.0f %5.0f %5.0f",
                    look.at(),
                    look.threads(),
                    look.voluntary(),
                    look.involuntary(),
                    look.cpuNs() / 1e9 / look.seconds(),
                    window.waitsKnown() ? Wording.number(look.waitNs() / 1e9 / look.seconds()) : "?",
                    look.system().running(),
                    look.system().blocked(),
                    look.system().switches() / look.seconds(),
                    look.system().interrupts() / look.seconds(),
                    cpu.user() / all,
                    cpu.system() / all,
                    cpu.idle() / all,
                    cpu.ioWait() / all,
                    cpu.steal() / all);
        }
    }

    private void notes() {
        if (!examination.notes().isEmpty()) {
            line("");
            examination.notes().forEach(note -> line("Note: %s", note));
        }
    }

    private String seconds() {
        return String.format(Locale.ROOT, "%.1f", window.seconds());
    }

    private void line(String format, Object... values) {
        text.append(String.format(Locale.ROOT, format, values)).append('\n');
    }
}
