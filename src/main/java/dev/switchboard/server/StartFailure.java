package dev.switchboard.server;

/**
 * A reason not to start that an operator can mend. Its message is one line, names what is wrong and what is allowed,
 * and is all that the operator sees of it. Immutable.
 */
public final class StartFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public StartFailure(String message) {
        super(oneLine(message));
    }

    public StartFailure(String message, Throwable cause) {
        super(oneLine(message), cause);
    }

    private static String oneLine(String text) {
        return text.replaceAll("\\s*[\\r\\n]+\\s*", " ").strip();
    }
}
