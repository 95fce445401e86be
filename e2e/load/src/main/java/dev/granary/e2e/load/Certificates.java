package dev.granary.e2e.load;

import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The files of TLS that a program of this module was given. */
public final class Certificates {

    private static final String VARIABLE = "GRANARY_TLS_DIRECTORY";

    private Certificates() {}

    /**
     * Returns the folder of {@code ca.crt}, {@code tls.crt} and {@code tls.key}; null for a cluster without TLS: the
     * variable is not set, or there is no such file.
     */
    public static @Nullable Path folder() {
        String named = System.getenv(VARIABLE);
        Path folder = named == null || named.isBlank() ? null : Path.of(named);
        return folder != null && Files.exists(folder.resolve("ca.crt")) ? folder : null;
    }
}
