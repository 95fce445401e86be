package dev.granary.operator.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.operator.certificate.Authority;
import dev.granary.operator.certificate.Taken;
import dev.granary.overlay.HostAddress;
import dev.granary.process.HttpContent;
import dev.granary.process.HttpGate;
import dev.granary.process.HttpPages;
import dev.granary.process.HttpPort;
import dev.granary.process.TlsPage;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** What a process says of its certificates is understood. The page is the one that processes have. */
class HttpCertificateObserverTest implements HttpContent {
    @AutoClose
    private final HttpCertificateObserver observer = new HttpCertificateObserver();

    @Override
    public Optional<String> notReadyReason() {
        return Optional.empty();
    }

    @Override
    public String statusJson() {
        return "{}";
    }

    @Override
    public CollectorRegistry metrics() {
        return new CollectorRegistry();
    }

    private Taken.Answer ask(HttpPages page) throws IOException {
        try (HttpPort port =
                HttpPort.open(new HostAddress("127.0.0.1", 0), this, Map.of(TlsPage.PATH, page), HttpGate.OPEN)) {
            return observer.ask("127.0.0.1", port.port(), null);
        }
    }

    @Test
    void ask_processWithTls_saysWhatItShowsAndTrusts() throws IOException {
        Authority authority = Authority.make("shop.social", Instant.now(), Duration.ofDays(9), new SecureRandom());
        X509Certificate certificate = authority.certificate();
        Taken.Answer answer = ask(TlsPage.of(() -> certificate, () -> List.of(certificate)));

        assertThat(answer.shown())
                .isEqualTo(new Taken.Shown(
                        certificate.getSubjectX500Principal().getName(), TlsPage.fingerprint(certificate)));
        assertThat(answer.trusted()).containsExactly(TlsPage.fingerprint(certificate));
        assertThat(answer.place()).startsWith("127.0.0.1:");
    }

    @Test
    void ask_processWithoutTlsOrNobody_showsAndTrustsNothing() throws IOException {
        Taken.Answer without = ask(TlsPage.none());
        assertThat(without.shown()).isNull();
        assertThat(without.trusted()).isEmpty();
        Taken.Answer nobody = observer.ask("127.0.0.1", 1, null);
        assertThat(nobody).isEqualTo(new Taken.Answer("127.0.0.1:1", null, List.of()));
    }
}
