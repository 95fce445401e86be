package dev.granary.operator.reconcile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.client.ClientTlsText;
import dev.granary.operator.Samples;
import dev.granary.operator.api.Granary;
import dev.granary.operator.build.TlsSecrets;
import dev.granary.operator.certificate.Certificates;
import dev.granary.operator.certificate.Pem;
import dev.granary.operator.certificate.Taken;
import dev.granary.operator.observe.PodsView;
import dev.granary.operator.plan.ClusterPlan;
import dev.granary.operator.plan.Existing;
import dev.granary.operator.plan.InvalidSpecException;
import dev.granary.operator.plan.Names;
import dev.granary.operator.plan.Planner;
import dev.granary.operator.reconcile.PlayedApi.Reply;
import dev.granary.process.TlsPage;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** The Secrets with certificates, as an API server that keeps them sees it. */
class CertificateKeeperTest {
    private static final String TLS = "{tls: {enabled: true, graceMinutes: 0}}";
    private static final PodsView PODS = new PodsView(List.of(), List.of("10.0.0.1"), List.of(), false, true);

    private final Map<String, Secret> stored = new ConcurrentHashMap<>();
    private volatile Instant now = Instant.parse("2026-11-27T06:00:00Z");
    private volatile Function<String, Taken.Answer> answers = host -> new Taken.Answer(host, null, List.of());

    private Reply answer(PlayedApi.Request request) {
        String name = request.path().substring(request.path().lastIndexOf('/') + 1);
        if (request.method().equals("GET")) {
            Secret found = stored.get(name);
            return found == null ? Reply.error(404, "NotFound") : Reply.of(200, Serialization.asJson(found));
        }
        Secret sent = Serialization.unmarshal(request.body(), Secret.class);
        Secret before = stored.get(sent.getMetadata().getName());
        boolean creates = request.method().equals("POST");
        if (creates != (before == null)
                || (before != null
                        && !before.getMetadata()
                                .getResourceVersion()
                                .equals(sent.getMetadata().getResourceVersion()))) {
            return Reply.error(409, "Conflict");
        }
        int version = before == null ? 1 : Integer.parseInt(before.getMetadata().getResourceVersion()) + 1;
        sent.getMetadata().setResourceVersion(Integer.toString(version));
        stored.put(sent.getMetadata().getName(), sent);
        return Reply.of(creates ? 201 : 200, Serialization.asJson(sent));
    }

    private CertificateKeeper keeper(PlayedApi api) {
        InstantSource clock = () -> now;
        return new CertificateKeeper(
                api.client(), (host, port, _) -> answers.apply(host + ":" + port), new SecureRandom(), clock);
    }

    private static ClusterPlan plan(String spec, Map<String, String> annotations) {
        Granary granary = Samples.granary("social", spec);
        granary.getMetadata().setAnnotations(annotations);
        return new Planner(Samples.DEFAULTS).plan(granary, Existing.NOTHING);
    }

    private Map<String, String> texts(String name) {
        return TlsSecrets.texts(stored.get(name));
    }

    private X509Certificate certificate(String role) {
        return Objects.requireNonNull(Certificates.certificate(texts(Names.certificate("social", role))));
    }

    private int trusted(String role) {
        return Pem.certificates(Objects.requireNonNull(
                        texts(Names.certificate("social", role)).get("ca.crt")))
                .size();
    }

    /** Answers as a process that has taken what its Secret has now. */
    private Taken.Answer upToDate(String place) {
        String role = place.endsWith(":7401") ? "super-peer" : "storage";
        X509Certificate shown = certificate(role);
        return new Taken.Answer(
                place,
                new Taken.Shown(shown.getIssuerX500Principal().getName(), TlsPage.fingerprint(shown)),
                Pem.certificates(Objects.requireNonNull(
                                texts(Names.certificate("social", role)).get("ca.crt")))
                        .stream()
                        .map(TlsPage::fingerprint)
                        .toList());
    }

    @Test
    void keep_thereIsNothing_makesACaAndACertificateForEachRole() throws IOException {
        ClusterPlan plan = plan(TLS, Map.of());
        try (PlayedApi api = new PlayedApi(this::answer)) {
            CertificateKeeper keeper = keeper(api);
            ClientTlsText own = Objects.requireNonNull(keeper.keep(plan, PODS, PODS));

            assertThat(stored.keySet())
                    .containsExactlyInAnyOrder(
                            "social-granary-ca",
                            "social-granary-tls-super-peer",
                            "social-granary-tls-storage",
                            "social-granary-tls-operator",
                            "social-granary-tls-client");
            assertThat(stored.values())
                    .allSatisfy(secret -> assertThat(secret.getMetadata().getOwnerReferences())
                            .singleElement()
                            .satisfies(owner -> assertThat(owner.getUid()).isEqualTo(plan.uid())));
            assertThat(own.certificate())
                    .isEqualTo(texts("social-granary-tls-operator").get("tls.crt"));
            assertThat(keeper.status(plan)).satisfies(status -> {
                assertThat(Objects.requireNonNull(status).step()).isEqualTo("Steady");
                assertThat(status.certificatesNotAfter()).isEqualTo("2027-02-25T06:00:00Z");
            });
            int requests = api.requests().size();
            assertThat(keeper.keep(plan, PODS, PODS)).isEqualTo(own);
            assertThat(keeper.rests(plan)).isTrue();
            assertThat(api.requests()).as("nothing is asked again").hasSize(requests);
            assertThat(keeper(api).keep(plan, PODS, PODS))
                    .as("another operator finds them")
                    .isEqualTo(own);
        }
    }

    @Test
    void keep_noTls_asksForNothing() throws IOException {
        try (PlayedApi api = new PlayedApi(this::answer)) {
            CertificateKeeper keeper = keeper(api);
            assertThat(keeper.keep(plan("{}", Map.of()), PODS, PODS)).isNull();
            assertThat(keeper.rests(plan("{}", Map.of()))).isTrue();
            assertThat(keeper.status(plan("{}", Map.of()))).isNull();
            assertThat(api.requests()).isEmpty();
        }
    }

    @Test
    void keep_certificatesGrowOld_renewsThemAndMakesWhatWasDeletedAgain() throws IOException {
        ClusterPlan plan = plan(TLS, Map.of());
        try (PlayedApi api = new PlayedApi(this::answer)) {
            CertificateKeeper keeper = keeper(api);
            keeper.keep(plan, PODS, PODS);
            Instant end = certificate("storage").getNotAfter().toInstant();
            stored.remove("social-granary-tls-client");
            now = now.plus(Duration.ofMinutes(11));
            assertThat(keeper.rests(plan)).isFalse();
            keeper.keep(plan, PODS, PODS);
            assertThat(stored).containsKey("social-granary-tls-client");
            assertThat(certificate("storage").getNotAfter().toInstant()).isEqualTo(end);
            now = now.plus(Duration.ofDays(61));
            keeper.keep(plan, PODS, PODS);
            assertThat(certificate("storage").getNotAfter().toInstant()).isAfter(end);
            assertThat(trusted("storage")).isOne();
        }
    }

    @Test
    void keep_anotherCaIsWished_changesItWithThePods() throws IOException {
        Map<String, String> wish = Map.of(Names.RENEW_CA_ANNOTATION, "1");
        ClusterPlan plan = plan(TLS, wish);
        try (PlayedApi api = new PlayedApi(this::answer)) {
            CertificateKeeper keeper = keeper(api);
            keeper.keep(plan(TLS, Map.of()), PODS, PODS);
            X509Certificate before = certificate("storage");

            keeper.keep(plan, PODS, PODS);
            assertThat(trusted("storage")).isEqualTo(2);
            assertThat(certificate("storage")).isEqualTo(before);
            keeper.keep(plan, PODS, PODS);
            assertThat(certificate("storage")).as("a pod does not answer").isEqualTo(before);
            assertThat(keeper.rests(plan)).isFalse();
            assertThat(Objects.requireNonNull(keeper.status(plan)).message())
                    .contains("10.0.0.1:7401 does not trust the new CA yet");

            answers = this::upToDate;
            keeper.keep(plan, PODS, PODS);
            assertThat(Objects.requireNonNull(keeper.status(plan)).step()).isEqualTo("Issuing");
            assertThat(certificate("storage").getIssuerX500Principal()).isNotEqualTo(before.getIssuerX500Principal());
            keeper.keep(plan, PODS, PODS);
            assertThat(Objects.requireNonNull(keeper.status(plan)).step()).isEqualTo("Steady");
            assertThat(trusted("storage")).isOne();
            assertThat(trusted("client")).isOne();
            assertThat(keeper.rests(plan)).isTrue();
        }
    }

    /** Each silent process takes seconds, in which the reconcile of the cluster does nothing else. */
    @Test
    void keep_severalPodsAreSilent_asksNoneAfterTheFirst() throws IOException {
        PodsView many = new PodsView(List.of(), List.of("10.0.0.1", "10.0.0.2"), List.of(), false, true);
        Queue<String> asked = new ConcurrentLinkedQueue<>();
        try (PlayedApi api = new PlayedApi(this::answer)) {
            CertificateKeeper keeper = keeper(api);
            keeper.keep(plan(TLS, Map.of()), many, many);
            ClusterPlan plan = plan(TLS, Map.of(Names.RENEW_CA_ANNOTATION, "1"));
            keeper.keep(plan, many, many);
            answers = place -> {
                asked.add(place);
                return place.startsWith("10.0.0.2") ? new Taken.Answer(place, null, List.of()) : upToDate(place);
            };
            keeper.keep(plan, many, many);
            assertThat(asked).containsExactly("10.0.0.1:7401", "10.0.0.2:7401");
            assertThat(Objects.requireNonNull(keeper.status(plan)).message()).contains("10.0.0.2:7401 does not trust");
        }
    }

    @Test
    void keep_podWithoutAnAddress_holdsTheChangeUp() throws IOException {
        ClusterPlan plan = plan(TLS, Map.of(Names.RENEW_CA_ANNOTATION, "1"));
        PodsView unready = new PodsView(
                List.of(new dev.granary.operator.observe.PodView(
                        "social-storage-0", 0, "u", false, null, now, false, false, null, true, null, false, null)),
                List.of(),
                List.of(),
                false,
                true);
        try (PlayedApi api = new PlayedApi(this::answer)) {
            CertificateKeeper keeper = keeper(api);
            keeper.keep(plan(TLS, Map.of()), PODS, unready);
            answers = this::upToDate;
            keeper.keep(plan, PODS, unready);
            keeper.keep(plan, PODS, unready);
            assertThat(Objects.requireNonNull(keeper.status(plan)).step()).isEqualTo("Trusting");
            assertThat(Objects.requireNonNull(keeper.status(plan)).message()).contains("a pod without an address");
        }
    }

    @Test
    void keep_secretOfSomebodyElseOrBrokenCa_isLeftAlone() throws IOException {
        ClusterPlan plan = plan(TLS, Map.of());
        try (PlayedApi api = new PlayedApi(this::answer)) {
            keeper(api).keep(plan, PODS, PODS);
            Secret authority = Objects.requireNonNull(stored.get("social-granary-ca"));
            Map<String, String> good = authority.getData();
            authority.setData(Map.of("tls.crt", "AAAA"));
            assertThatThrownBy(() -> keeper(api).keep(plan, PODS, PODS))
                    .isInstanceOf(InvalidSpecException.class)
                    .hasMessageContaining("social-granary-ca");
            authority.setData(good);
            Objects.requireNonNull(stored.get("social-granary-tls-storage"))
                    .getMetadata()
                    .getOwnerReferences()
                    .getFirst()
                    .setUid("another");
            assertThatThrownBy(() -> keeper(api).keep(plan, PODS, PODS))
                    .isInstanceOf(NameTakenException.class)
                    .hasMessageContaining("social-granary-tls-storage");
        }
    }

    @Test
    void keep_secretsOfOthers_areReadAndNeverWritten() throws IOException {
        ClusterPlan plan = plan(
                "{tls: {enabled: true, secrets: {superPeers: {name: a}, storagePeers: {name: b}, operator: {name: c}}}}",
                Map.of());
        try (PlayedApi api = new PlayedApi(this::answer)) {
            CertificateKeeper keeper = keeper(api);
            assertThatThrownBy(() -> keeper.keep(plan, PODS, PODS))
                    .isInstanceOf(InvalidSpecException.class)
                    .hasMessageContaining("names the Secret c");
            keeper(api).keep(plan(TLS, Map.of()), PODS, PODS);
            Secret theirs = Objects.requireNonNull(stored.remove("social-granary-tls-operator"));
            theirs.getMetadata().setName("c");
            stored.clear();
            stored.put("c", theirs);

            ClientTlsText own = Objects.requireNonNull(keeper.keep(plan, PODS, PODS));
            assertThat(own.certificate()).isEqualTo(TlsSecrets.texts(theirs).get("tls.crt"));
            assertThat(Objects.requireNonNull(keeper.status(plan)).step()).isEqualTo("External");
            assertThat(keeper.rests(plan)).isTrue();
            now = now.plus(Duration.ofDays(80));
            keeper.keep(plan, PODS, PODS);
            assertThat(Objects.requireNonNull(keeper.status(plan)).step()).isEqualTo("ExpiresSoon");
            assertThat(stored.keySet()).containsExactly("c");
        }
    }
}
