package dev.switchboard.server.doctor;

/** Why a process can't be examined, in one line for a person and as an exit code for programs. Immutable. */
public final class ExaminationFailure extends RuntimeException {
    /** The process ended while it was watched. */
    public static final int ENDED = 3;

    /** There is no such process. */
    public static final int NO_SUCH_PROCESS = 4;

    /** This user may not look at it. */
    public static final int NO_PERMISSION = 5;

    /** There is no {@code /proc} as Linux has it. */
    public static final int NOT_LINUX = 6;

    private static final long serialVersionUID = 1L;

    private final int exitCode;

    private ExaminationFailure(int exitCode, String message) {
        super(message);
        this.exitCode = exitCode;
    }

    static ExaminationFailure ended(long pid) {
        return new ExaminationFailure(ENDED, "process " + pid + " has ended while it was watched");
    }

    static ExaminationFailure noSuchProcess(long pid) {
        return new ExaminationFailure(NO_SUCH_PROCESS, "there is no process " + pid + " that this user can see");
    }

    static ExaminationFailure noPermission(long pid) {
        return new ExaminationFailure(
                NO_PERMISSION, "process " + pid + " may not be looked at by this user: run the doctor as its owner");
    }

    static ExaminationFailure notLinux(String found) {
        return new ExaminationFailure(
                NOT_LINUX, "the doctor reads /proc as Linux has it, which is not there: " + found);
    }

    public int exitCode() {
        return exitCode;
    }
}
