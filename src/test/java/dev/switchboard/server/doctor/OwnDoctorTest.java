package dev.switchboard.server.doctor;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@EnabledOnOs(OS.LINUX)
class OwnDoctorTest {
    @TempDir
    private Path folder;

    @Test
    void shouldGiveTheFirstWindowToAllWhoWaitForItAndKeepEarlierOnes() throws Exception {
        try (OwnDoctor doctor = doctor(Duration.ofMillis(300), Duration.ofMinutes(1))) {
            CompletableFuture<Doctor.Report> one = doctor.ask().toCompletableFuture();
            CompletableFuture<Doctor.Report> other = doctor.ask().toCompletableFuture();
            assertSame(one.get(60, TimeUnit.SECONDS), other.get(60, TimeUnit.SECONDS));
            await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
                JsonNode later = new ObjectMapper()
                        .readTree(doctor.ask()
                                .toCompletableFuture()
                                .get(60, TimeUnit.SECONDS)
                                .json());
                assertTrue(later.path("earlier").size() >= 2);
                assertTrue(later.path("earlier")
                        .get(0)
                        .path("verdict")
                        .path("kind")
                        .isTextual());
            });
        }
    }

    @Test
    void shouldStopWatchingWhenNobodyAsksAndStartAgain() throws Exception {
        try (OwnDoctor doctor = doctor(Duration.ofMillis(200), Duration.ofMillis(1))) {
            for (int turn = 0; turn < 2; turn++) {
                Doctor.Report report = doctor.ask().toCompletableFuture().get(60, TimeUnit.SECONDS);
                assertTrue(report.text().contains("VERDICT"), report::text);
                await().atMost(Duration.ofSeconds(60)).until(() -> threads() == 0);
            }
        }
    }

    @Test
    void shouldNotKeepTheEndOfTheServerWaiting() {
        OwnDoctor doctor = doctor(Duration.ofSeconds(15), Duration.ofMinutes(1));
        CompletableFuture<Doctor.Report> asked = doctor.ask().toCompletableFuture();
        doctor.close();
        assertThrows(CancellationException.class, asked::join);
        await().atMost(Duration.ofSeconds(60)).until(() -> threads() == 0);
        assertTrue(doctor.ask().toCompletableFuture().isCompletedExceptionally());
        assertEquals(0, threads());
    }

    private OwnDoctor doctor(Duration window, Duration patience) {
        return new OwnDoctor(folder, window, Duration.ofMillis(100), patience);
    }

    private static long threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("switch-doctor"))
                .count();
    }
}
