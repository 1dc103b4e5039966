package dev.switchboard.ports;

/** The database can't answer now; the same call may succeed later. */
public final class StorageUnavailableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public StorageUnavailableException(String message, Throwable cause) {
        super(message, cause);
    }
}
