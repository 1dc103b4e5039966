package dev.switchboard.directory;

/** The database can't be used: the message is one line for the operator and names the setting or folder at fault. */
public final class StorageStartException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public StorageStartException(String message, Throwable cause) {
        super(message, cause);
    }
}
