package dev.switchboard.server.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class WaitKindTest {
    @Test
    void shouldTellWhatAThreadWaitsForByItsSystemCall() {
        assertEquals(
                WaitKind.SIGNAL,
                x86("202 0x7f07e80b1b18 0x189 0x0 0x0 0x0 0xffffffff 0x7f07ece97320 0x7f07f0ec1f16", "futex_do_wait"));
        assertEquals(
                WaitKind.TIMED,
                x86("202 0x7f07e80b1178 0x89 0x0 0x7f07ecf976b0 0x0 0xffffffff 0x7f07ecf975a0 0x7f07f0ec1f16", ""));
        assertEquals(WaitKind.RUNNING, x86("running\n", "0"));
        assertEquals(
                WaitKind.IO,
                x86(
                        "43 0x4 0x7f07ecb97490 0x7f07ecb97488 0xc 0x0 0x688435da0 0x7f07ecb97440 0x7f07f0f4672f",
                        "inet_csk_accept"));
        assertEquals(
                WaitKind.POLL, x86("232 0x6 0x7f0770088d40 0x400 0xffffffff 0x0 0xffffffff 0x7 0x7", "do_epoll_wait"));
        assertEquals(
                WaitKind.TIMED, WaitKind.of("115 0x1 0x1 0x0 0x0 0x0 0x0 0x7 0x7", "hrtimer_nanosleep", "aarch64"));
    }

    @Test
    void shouldFallBackToThePlaceInTheKernel() {
        assertEquals(WaitKind.SIGNAL, x86("", "futex_wait_queue"));
        assertEquals(WaitKind.TIMED, x86("", "hrtimer_nanosleep"));
        assertEquals(WaitKind.POLL, x86("", "do_epoll_wait"));
        assertEquals(WaitKind.DISK, x86("", "io_schedule"));
        assertEquals(WaitKind.IO, x86("", "pipe_read"));
        assertEquals(WaitKind.IO, x86("999 0x0", "sk_wait_data"));
    }

    @Test
    void shouldSayWhenItMayNotSee() {
        assertEquals(WaitKind.HIDDEN, x86("", ""));
        assertEquals(WaitKind.HIDDEN, x86("", "0"));
        assertEquals(WaitKind.OTHER, x86("61 0x1 0x1 0x0 0x0 0x0 0x0 0x7 0x7", "do_wait"));
    }

    private static WaitKind x86(String syscall, String wchan) {
        return WaitKind.of(syscall, wchan, "amd64");
    }
}
