package dev.granary.process;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.X509Certificate;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The page {@code /tls}: which certificate a process shows on new connections, and which CAs it trusts (ADR 0335). It
 * contains no secret. The operator reads it to find the processes that have loaded a new CA or certificate. Called by
 * HTTP threads.
 *
 * <pre>
 * {"certificate": {"subject", "issuer", "notAfter", "sha256"},
 *  "authorities": [{"subject", "issuer", "notAfter", "sha256"}, ...]}
 * </pre>
 *
 * <p>{@code notAfter} is a time of ISO 8601 in UTC, {@code sha256} the digest of the certificate's DER in hexadecimal
 * digits. A process without TLS answers 404.
 */
public final class TlsPage implements HttpPages {

    /** Where the page lies. */
    public static final String PATH = "/tls";

    private final Supplier<@Nullable X509Certificate> certificate;
    private final Supplier<List<X509Certificate>> authorities;

    private TlsPage(Supplier<@Nullable X509Certificate> certificate, Supplier<List<X509Certificate>> authorities) {
        this.certificate = certificate;
        this.authorities = authorities;
    }

    /**
     * Returns the page.
     *
     * @param certificate what is shown on new connections; called by any thread, as the other is
     * @param authorities whose certificates are trusted on new connections
     */
    public static HttpPages of(
            Supplier<@Nullable X509Certificate> certificate, Supplier<List<X509Certificate>> authorities) {
        return new TlsPage(certificate, authorities);
    }

    /** Returns the page of a process without TLS. */
    public static HttpPages none() {
        return (_, _) -> HttpAnswer.text(404, "This process has no TLS: tls.directory is not set.\n");
    }

    @Override
    public HttpAnswer answer(String path, @Nullable String knownTag) {
        if (!path.equals(PATH)) {
            return HttpAnswer.text(404, "not found: try " + PATH + "\n");
        }
        JsonText json = new JsonText().object();
        X509Certificate own = certificate.get();
        if (own != null) {
            describe(json.object("certificate"), own);
        }
        json.array("authorities");
        authorities.get().forEach(authority -> describe(json.object(), authority));
        json.end().end();
        return new HttpAnswer(
                200, Map.of("Content-Type", "application/json"), (json + "\n").getBytes(StandardCharsets.UTF_8));
    }

    private static void describe(JsonText json, X509Certificate certificate) {
        json.field("subject", certificate.getSubjectX500Principal().getName())
                .field("issuer", certificate.getIssuerX500Principal().getName())
                .field("notAfter", certificate.getNotAfter().toInstant().toString())
                .field("sha256", fingerprint(certificate))
                .end();
    }

    /** Returns the SHA-256 of a certificate's DER in hexadecimal digits, as this page has it. */
    public static String fingerprint(X509Certificate certificate) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(certificate.getEncoded()));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("a certificate in use has no fingerprint", e);
        }
    }
}
