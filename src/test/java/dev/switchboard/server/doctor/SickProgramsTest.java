package dev.switchboard.server.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.switchboard.server.doctor.Diagnosis.Cause;
import dev.switchboard.server.doctor.Diagnosis.Kind;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The doctor on real sick processes, and on a healthy one: once each, or as often as the property
 * {@code switchboard.doctor.runs} says, on a quiet machine and on a busy one.
 */
@EnabledOnOs(OS.LINUX)
class SickProgramsTest {
    private static final int RUNS = Integer.getInteger("switchboard.doctor.runs", 1);
    private static final Duration WINDOW = Duration.ofMillis(2500);
    private static final Duration INTERVAL = Duration.ofMillis(500);

    @ParameterizedTest
    @CsvSource({
        "OneLock, MOSTLY_VOLUNTARY, ONE_LOCK",
        "RunQueue, MOSTLY_INVOLUNTARY, TOO_MANY_RUNNABLE",
        "WakeUpStorm, MOSTLY_VOLUNTARY, WAKE_UP_STORM",
        "RestlessSleeper, ONE_THREAD_APART, SHORT_SLEEPS",
        "HealthyService, HEALTHY, NONE"
    })
    void shouldDiagnoseRightly(String program, Kind kind, Cause cause) throws Exception {
        for (int run = 1; run <= RUNS; run++) {
            try (PatientProcess patient = PatientProcess.start(program)) {
                Examination examination = examine(patient.pid());
                String said = "run " + run + "\n" + TextReport.of(examination);
                assertEquals(kind, examination.diagnosis().verdict().kind(), said);
                assertEquals(cause, examination.diagnosis().verdict().cause(), said);
            }
        }
    }

    private static Examination examine(long pid) throws InterruptedException {
        Window window = new SwitchDoctor(Path.of("/proc"), pid).watch(WINDOW, INTERVAL);
        return new Examiner(StackSource.ofProcess(pid, 30_000)).examine(window, INTERVAL, null);
    }
}
