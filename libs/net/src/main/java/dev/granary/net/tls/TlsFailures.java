package dev.granary.net.tls;

import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SslClosedEngineException;
import io.netty.handler.ssl.SslHandshakeTimeoutException;
import java.nio.channels.ClosedChannelException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.CertificateRevokedException;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Says in one sentence why TLS has failed; the two providers have words of their own for each reason. */
final class TlsFailures {

    /** What the other side answers, by the names of RFC 8446 section 6.2 and those of BoringSSL. */
    private static final Pattern ALERT = Pattern.compile(
            "(?:fatal alert: |alert[ _])([a-z_]+)|(?:tlsv1|sslv3)[ _]alert[ _]([a-z_ ]+)", Pattern.CASE_INSENSITIVE);

    private static final Map<String, String> ALERTS = Map.ofEntries(
            Map.entry("certificate_required", "it asks for a certificate, and this side has shown none"),
            Map.entry("certificate_expired", "the certificate of this side has expired"),
            Map.entry("certificate_revoked", "the certificate of this side was revoked"),
            Map.entry("certificate_unknown", "it does not accept the certificate of this side"),
            Map.entry("bad_certificate", "it does not accept the certificate of this side"),
            Map.entry("unknown_ca", "it does not trust the CA of this side's certificate"),
            Map.entry("protocol_version", "it has no version of TLS in common with this side"),
            Map.entry("handshake_failure", "it has no way of TLS in common with this side"));

    private TlsFailures() {}

    /** Returns the reason, without a full stop. */
    static String explain(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = next(cause)) {
            String known = known(cause);
            if (known != null) {
                return known;
            }
        }
        String text = text(failure);
        String words = text.toLowerCase(Locale.ROOT).replace(' ', '_');
        // The order matters: what the other side has said is more than what follows from it here.
        Matcher alert = ALERT.matcher(text);
        if (alert.find()) {
            String name = (alert.group(1) == null ? alert.group(2) : alert.group(1))
                    .strip()
                    .replace(' ', '_')
                    .toLowerCase(Locale.ROOT);
            return "the other side refuses: " + ALERTS.getOrDefault(name, name);
        }
        if (words.contains("did_not_return_a_certificate") || words.contains("empty_client_certificate_chain")) {
            return "the other side has shown no certificate";
        }
        if (words.contains("unsupported_protocol")
                || words.contains("protocol_version")
                || words.contains("not_enabled_or_supported")) {
            return "the other side has no TLS 1.3";
        }
        return "TLS has failed: " + text;
    }

    private static @Nullable String known(Throwable cause) {
        return switch (cause) {
            case NotSslRecordException _ -> "the other side speaks no TLS";
            case SslHandshakeTimeoutException late -> String.valueOf(late.getMessage());
            case CertificateExpiredException _ -> "the certificate of the other side has expired";
            case CertificateRevokedException _ -> "the certificate of the other side was revoked";
            case CertificateNotYetValidException _ -> "the certificate of the other side is not valid yet";
            case CertPathBuilderException _ -> "no trusted CA has issued the certificate of the other side";
            case CertPathValidatorException invalid
            when isNoAnchor(invalid) -> "no trusted CA has issued the certificate of the other side";
            case ClosedChannelException _, SslClosedEngineException _ ->
                "the other side has closed the connection during the handshake; it may have no TLS";
            default -> null;
        };
    }

    private static boolean isNoAnchor(CertPathValidatorException invalid) {
        return invalid.getReason().toString().equals("NO_TRUST_ANCHOR");
    }

    private static @Nullable Throwable next(Throwable cause) {
        return cause.getCause() == cause ? null : cause.getCause();
    }

    private static String text(Throwable failure) {
        Throwable innermost = failure;
        for (Throwable cause = failure; cause != null; cause = next(cause)) {
            if (cause instanceof SSLException) {
                innermost = cause;
            }
        }
        return String.valueOf(innermost.getMessage());
    }
}
