package dev.granary.net.tls;

import java.io.IOException;

/** A file of TLS cannot be used. The message names the file and says what is wrong. */
public final class TlsException extends IOException {

    private static final long serialVersionUID = 1L;

    TlsException(String message) {
        super(message);
    }

    TlsException(String message, Throwable cause) {
        super(message, cause);
    }
}
