package dev.switchboard.socket;

/** A frame that a terminal's codec could not write: a fault of what was to be said, never of the terminal. */
final class UnconvertibleException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UnconvertibleException(String type, Throwable cause) {
        super("a frame of type " + type + " can't be written: " + cause, cause);
    }
}
