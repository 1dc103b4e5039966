package dev.switchboard.server.doctor;

/**
 * The system's counters since its start, of {@code /proc/stat}; immutable.
 *
 * @param processors that are online
 * @param switches of all processors; those to and from the idle task count too, which no thread's own counters show
 * @param forks processes and threads started
 * @param running tasks that run or are ready to, at this moment; vmstat's {@code r}
 * @param blocked tasks that sleep uninterruptibly, mostly for a disk, at this moment; vmstat's {@code b}
 */
record SystemTotals(
        Cpu cpu,
        int processors,
        long switches,
        long interrupts,
        long softInterrupts,
        long forks,
        int running,
        int blocked) {

    /** Processor time of all processors together; user time includes that of niced tasks. Nanoseconds; immutable. */
    record Cpu(long user, long system, long idle, long ioWait, long irq, long softIrq, long steal) {
        Cpu minus(Cpu before) {
            // Idle and iowait of a processor that goes offline may go back: never below zero.
            return new Cpu(
                    Math.max(0, user - before.user),
                    Math.max(0, system - before.system),
                    Math.max(0, idle - before.idle),
                    Math.max(0, ioWait - before.ioWait),
                    Math.max(0, irq - before.irq),
                    Math.max(0, softIrq - before.softIrq),
                    Math.max(0, steal - before.steal));
        }

        long total() {
            return user + system + idle + ioWait + irq + softIrq + steal;
        }
    }

    /** The growth since an earlier look; running and blocked stay as seen now. */
    SystemTotals minus(SystemTotals before) {
        return new SystemTotals(
                cpu.minus(before.cpu),
                processors,
                switches - before.switches,
                interrupts - before.interrupts,
                softInterrupts - before.softInterrupts,
                forks - before.forks,
                running,
                blocked);
    }

    SystemTotals seen(int otherRunning, int otherBlocked) {
        return new SystemTotals(
                cpu, processors, switches, interrupts, softInterrupts, forks, otherRunning, otherBlocked);
    }
}
