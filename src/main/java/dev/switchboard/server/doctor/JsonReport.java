package dev.switchboard.server.doctor;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Comparator;
import java.util.Locale;

/** An examination as JSON, for programs; docs/doctor.md describes its fields. Stateless. */
final class JsonReport {
    /** Grows when a field changes its meaning or goes; new fields don't count. */
    static final int FORM = 1;

    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private JsonReport() {}

    static ObjectNode of(Examination examination) {
        Window window = examination.window();
        ObjectNode root = JSON.objectNode();
        root.put("form", FORM);
        ObjectNode process = root.putObject("process");
        process.put("pid", window.target().pid());
        process.put("program", window.target().program());
        process.put("java", window.target().java());
        process.put("cores", window.cores());
        process.put("ended", window.ended());
        root.set("window", window(examination));
        root.set("verdict", finding(examination.diagnosis().verdict()));
        ArrayNode findings = root.putArray("findings");
        examination.diagnosis().findings().forEach(finding -> findings.add(finding(finding)));
        root.put("baseline", examination.diagnosis().baseline());
        root.set("measures", measures(window, examination.baseline()));
        root.set("reconciliation", reconciliation(examination.reconciliation()));
        root.set("system", system(window));
        root.set("threads", threads(window));
        root.set("otherProcesses", otherProcesses(window));
        root.set("looks", looks(window));
        ArrayNode notes = root.putArray("notes");
        examination.notes().forEach(notes::add);
        return root;
    }

    /** When it was, the verdict and the measures, without threads and samples. */
    static ObjectNode summary(Examination examination) {
        ObjectNode node = JSON.objectNode();
        node.set("window", window(examination));
        node.set("verdict", finding(examination.diagnosis().verdict()));
        node.set("measures", measures(examination.window(), examination.baseline()));
        return node;
    }

    private static ObjectNode window(Examination examination) {
        Window window = examination.window();
        ObjectNode node = JSON.objectNode();
        node.put("startedAt", window.startedAt().toString());
        node.put("seconds", window.seconds());
        node.put("intervalSeconds", examination.intervalSeconds());
        node.put("looks", window.looks().size());
        return node;
    }

    private static ObjectNode finding(Diagnosis.Finding finding) {
        ObjectNode node = JSON.objectNode();
        node.put("kind", finding.kind().wireName());
        node.put("cause", finding.cause().wireName());
        node.put("sure", finding.sure().name().toLowerCase(Locale.ROOT));
        node.put("saw", finding.saw());
        ArrayNode evidence = node.putArray("evidence");
        finding.evidence().forEach(evidence::add);
        ArrayNode next = node.putArray("next");
        finding.next().forEach(next::add);
        return node;
    }

    private static ObjectNode measures(Window window, Baseline baseline) {
        ObjectNode node = JSON.objectNode();
        for (Measure measure : Measure.values()) {
            ObjectNode own = node.putObject(measure.wireName());
            put(own, "value", measure.of(window));
            if (baseline != null && baseline.measures().containsKey(measure)) {
                own.set("baseline", BaselineFiles.spread(baseline.measures().get(measure)));
                own.put("standing", baseline.standing(measure, window).name().toLowerCase(Locale.ROOT));
            }
        }
        return node;
    }

    private static ObjectNode reconciliation(Reconciliation reconciliation) {
        ObjectNode node = JSON.objectNode();
        node.put("systemSwitches", reconciliation.total());
        node.put("ownSwitches", reconciliation.own());
        node.put("otherProcessesSwitches", reconciliation.processes());
        node.put("kernelThreadsSwitches", reconciliation.kernel());
        node.put("softInterruptThreadsSwitches", reconciliation.softInterruptThreads());
        node.put("idleAndUnseenSwitches", reconciliation.unseen());
        node.put("softInterruptCpuSeconds", reconciliation.softInterruptCpuNs() / 1e9);
        return node;
    }

    private static ObjectNode system(Window window) {
        ObjectNode node = totals(window.system(), window.seconds());
        node.put(
                "runQueuePeak",
                window.looks().stream()
                        .mapToInt(look -> look.system().running())
                        .max()
                        .orElse(0));
        node.put(
                "blockedPeak",
                window.looks().stream()
                        .mapToInt(look -> look.system().blocked())
                        .max()
                        .orElse(0));
        put(
                node,
                "switchesPerSecondPeak",
                window.looks().stream()
                        .mapToDouble(look -> look.system().switches() / look.seconds())
                        .max()
                        .orElse(0));
        ArrayNode load = node.putArray("loadAverages");
        load.add(window.loadAverages().one());
        load.add(window.loadAverages().five());
        load.add(window.loadAverages().fifteen());
        put(node, "cpuPressure", window.pressure());
        return node;
    }

    private static ObjectNode totals(SystemTotals totals, double seconds) {
        ObjectNode node = JSON.objectNode();
        node.put("processors", totals.processors());
        node.put("runQueue", totals.running());
        node.put("blocked", totals.blocked());
        node.put("switchesPerSecond", totals.switches() / seconds);
        node.put("interruptsPerSecond", totals.interrupts() / seconds);
        node.put("softInterruptsPerSecond", totals.softInterrupts() / seconds);
        node.put("startsPerSecond", totals.forks() / seconds);
        SystemTotals.Cpu cpu = totals.cpu();
        double all = Math.max(1, cpu.total());
        ObjectNode shares = node.putObject("cpu");
        shares.put("user", cpu.user() / all);
        shares.put("system", cpu.system() / all);
        shares.put("idle", cpu.idle() / all);
        shares.put("ioWait", cpu.ioWait() / all);
        shares.put("interrupts", cpu.irq() / all);
        shares.put("softInterrupts", cpu.softIrq() / all);
        shares.put("steal", cpu.steal() / all);
        return node;
    }

    private static ArrayNode threads(Window window) {
        ArrayNode array = JSON.arrayNode();
        window.threads().stream()
                .sorted(Comparator.comparingLong(ThreadFigures::switches).reversed())
                .forEach(thread -> {
                    ObjectNode node = array.addObject();
                    node.put("tid", thread.tid());
                    node.put("name", thread.name());
                    node.put("voluntary", thread.voluntary());
                    node.put("involuntary", thread.involuntary());
                    node.put("voluntaryPerSecond", thread.voluntary() / window.seconds());
                    node.put("involuntaryPerSecond", thread.involuntary() / window.seconds());
                    node.put("switchesPerSecondPeak", thread.peakPerSecond());
                    node.put("cpuSeconds", thread.cpuNs() / 1e9);
                    seconds(node, "waitSeconds", thread.waitNs());
                    node.put("born", thread.born());
                    node.put("ended", thread.ended());
                    if (!thread.waits().isEmpty()) {
                        ObjectNode waits = node.putObject("seenWaitingFor");
                        thread.waits()
                                .forEach((kind, times) -> waits.put(kind.name().toLowerCase(Locale.ROOT), times));
                    }
                });
        return array;
    }

    private static void seconds(ObjectNode node, String name, long ns) {
        put(node, name, ns == ThreadFigures.UNKNOWN ? Double.NaN : ns / 1e9);
    }

    private static ArrayNode otherProcesses(Window window) {
        ArrayNode array = JSON.arrayNode();
        for (Others.Busy other : window.others().busiest()) {
            ObjectNode node = array.addObject();
            node.put("pid", other.pid());
            node.put("name", other.name());
            node.put("switches", other.switches());
            node.put("cpuSeconds", other.cpuNs() / 1e9);
        }
        return array;
    }

    private static ArrayNode looks(Window window) {
        ArrayNode array = JSON.arrayNode();
        for (Window.Look look : window.looks()) {
            ObjectNode node = array.addObject();
            node.put("at", look.at());
            node.put("seconds", look.seconds());
            node.put("threads", look.threads());
            node.put("voluntary", look.voluntary());
            node.put("involuntary", look.involuntary());
            node.put("cpuSeconds", look.cpuNs() / 1e9);
            put(node, "waitSeconds", window.waitsKnown() ? look.waitNs() / 1e9 : Double.NaN);
            node.set("system", totals(look.system(), look.seconds()));
        }
        return array;
    }

    /** What is unknown is null. */
    private static void put(ObjectNode node, String name, double value) {
        if (Double.isNaN(value) || Double.isInfinite(value)) {
            node.putNull(name);
        } else {
            node.put(name, value);
        }
    }
}
