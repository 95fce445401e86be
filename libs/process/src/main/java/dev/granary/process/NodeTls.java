package dev.granary.process;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Where the files of a node's TLS are, and what is asked of its callers.
 *
 * @param certificate PEM file of its certificate and those behind it
 * @param key PEM file of its private key
 * @param ca PEM file of the CAs that it trusts
 * @param crl PEM file of revocation lists that must be there; {@code null} for one beside the CA that may be missing
 * @param clients whether callers that are no nodes must show certificates
 */
public record NodeTls(
        Path certificate, Path key, Path ca, @Nullable Path crl, Clients clients) {

    /** Whether clients show certificates. */
    public enum Clients {
        /** Whoever shows none is refused. */
        REQUIRED,
        /** Whoever shows none is served, one that is shown must be good. */
        OPTIONAL,
        /** None is asked for. */
        NONE
    }
}
