package dev.switchboard.webhook;

import java.io.IOException;

/** A name leads to an address that webhooks may not be sent to. */
final class AddressRefusedException extends IOException {
    private static final long serialVersionUID = 1L;

    AddressRefusedException(String message) {
        super(message);
    }
}
