package dev.granary.tools.bench.redis;

import java.io.IOException;

/** A store answered an error. */
final class RefusedException extends IOException {

    private static final long serialVersionUID = 1L;

    RefusedException(String message) {
        super(message);
    }
}
