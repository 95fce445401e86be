package dev.granary.operator.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.client.ClientTlsText;
import dev.granary.env.SystemClock;
import dev.granary.net.tls.TlsContexts;
import dev.granary.operator.certificate.Authority;
import dev.granary.operator.certificate.Identity;
import dev.granary.operator.certificate.Pem;
import dev.granary.operator.certificate.Role;
import dev.granary.overlay.HostAddress;
import dev.granary.process.HttpContent;
import dev.granary.process.HttpGate;
import dev.granary.process.HttpPort;
import dev.granary.process.TlsPage;
import io.prometheus.client.CollectorRegistry;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Pages of processes whose HTTP ports have TLS, with certificates as the operator issues them ({@code PageReader}). */
class SecuredPagesTest implements HttpContent {
    private static final String HOST = "127.0.0.1";
    private static final SecureRandom RANDOM = new SecureRandom();

    private final Authority authority = authority();

    @AutoClose
    private final HttpCertificateObserver observer = new HttpCertificateObserver();

    private @Nullable TlsContexts tls;

    private @Nullable HttpPort port;

    private static Authority authority() {
        return Authority.make("shop.social", Instant.now(), Duration.ofDays(9), RANDOM);
    }

    private static ClientTlsText issue(Authority by, String cluster, Role role, Authority trusted) {
        Authority.Issued issued =
                by.issue(Identity.of("shop", cluster, role, List.of()), Instant.now(), Duration.ofDays(2), RANDOM);
        return new ClientTlsText(
                Pem.of(List.of(trusted.certificate())), Pem.of(List.of(issued.certificate())), Pem.of(issued.key()));
    }

    private ClientTlsText issue(String cluster, Role role) {
        return issue(authority, cluster, role, authority);
    }

    @AfterEach
    void close() {
        if (port != null) {
            port.close();
        }
        if (tls != null) {
            tls.close();
        }
    }

    @BeforeEach
    void open() throws Exception {
        ClientTlsText own = issue("social", Role.SUPER_PEER);
        TlsContexts opened = TlsContexts.ofTexts(own.certificate(), own.key(), own.ca(), new SystemClock());
        tls = opened;
        port = HttpPort.open(
                new HostAddress(HOST, 0),
                this,
                Map.of(TlsPage.PATH, TlsPage.of(opened::certificate, opened::authorities)),
                HttpGate.of(opened, null, new SystemClock()));
    }

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

    private int number() {
        return port == null ? 0 : port.port();
    }

    private boolean isAnswered(@Nullable ClientTlsText shown) {
        return observer.ask(HOST, number(), shown).shown() != null;
    }

    @Test
    void ask_rolesThatMayRead_areAnswered() {
        for (Role role : List.of(Role.OPERATOR, Role.MONITOR, Role.STORAGE)) {
            assertThat(isAnswered(issue("social", role))).as(role.text()).isTrue();
        }
    }

    @Test
    void ask_othersAndWithoutTls_areNotAnswered() {
        Authority other = authority();
        assertThat(isAnswered(issue("social", Role.CLIENT))).isFalse();
        assertThat(isAnswered(issue("another", Role.OPERATOR))).isFalse();
        assertThat(isAnswered(issue(other, "social", Role.OPERATOR, authority))).isFalse();
        // A process of another CA is not believed.
        assertThat(isAnswered(issue(authority, "social", Role.OPERATOR, other))).isFalse();
        assertThat(isAnswered(null)).isFalse();
        assertThat(isAnswered(issue("social", Role.OPERATOR))).isTrue();
    }

    /** Each cluster has credentials of its own; more of them than are kept take turns. */
    @Test
    void ask_manyClusters_areAllAnswered() {
        for (int i = 0; i < 40; i++) {
            assertThat(isAnswered(issue("social", Role.OPERATOR))).isTrue();
        }
    }

    @Test
    void observe_superPeerWithTls_isAskedWithTheCertificateAndWithoutItNotAtAll() {
        try (HttpClusterObserver clusters = new HttpClusterObserver(number())) {
            ClientTlsText own = issue("social", Role.OPERATOR);
            // It answers what is no status of a cluster, so it has been read.
            assertThat(clusters.observe(new HttpPlaces(List.of(HOST), Set.of(HOST), own)))
                    .isEqualTo(new ClusterObserver.Answer.Unreachable(
                            HOST + ": /status lacks ring, storagePeers or totals"));
            assertThat(clusters.observe(new HttpPlaces(List.of(HOST), Set.of(HOST), null)))
                    .isEqualTo(
                            new ClusterObserver.Answer.Unreachable(HOST + ": the operator has no certificate to show"));
            assertThat(clusters.observe(new HttpPlaces(List.of(HOST), Set.of(HOST), issue("social", Role.CLIENT))))
                    .isEqualTo(new ClusterObserver.Answer.Unreachable(HOST + ": /status answered 403"));
        }
    }
}
