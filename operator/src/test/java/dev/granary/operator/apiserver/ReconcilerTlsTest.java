package dev.granary.operator.apiserver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.operator.api.Granary;
import dev.granary.operator.build.TlsSecrets;
import dev.granary.operator.certificate.Certificates;
import dev.granary.operator.certificate.Pem;
import dev.granary.operator.certificate.Taken;
import dev.granary.operator.observe.ClusterObserver;
import dev.granary.operator.plan.Names;
import dev.granary.process.TlsPage;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.security.cert.X509Certificate;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The Secrets with certificates on a real API server, and a change of the CA. */
@Tag("api-server")
class ReconcilerTlsTest extends ReconcilerRig {
    private static final String TLS = "{superPeers: {min: 1}, tls: {enabled: true, graceMinutes: 0}}";

    private final Set<String> steps = ConcurrentHashMap.newKeySet();

    private Map<String, String> texts(String role) {
        return TlsSecrets.texts(client.secrets()
                .inNamespace(namespace)
                .withName(Names.certificate("social", role))
                .get());
    }

    private X509Certificate certificate(String role) {
        return Objects.requireNonNull(Certificates.certificate(texts(role)), role);
    }

    private List<X509Certificate> trusted(String role) {
        return Pem.certificates(Objects.requireNonNull(texts(role).get("ca.crt")));
    }

    /** Answers as a process that has taken what its Secret has now. */
    private Taken.Answer upToDate(String place) {
        String role = place.endsWith(":7401") ? "super-peer" : "storage";
        X509Certificate shown = certificate(role);
        return new Taken.Answer(
                place,
                new Taken.Shown(shown.getIssuerX500Principal().getName(), TlsPage.fingerprint(shown)),
                trusted(role).stream().map(TlsPage::fingerprint).toList());
    }

    private void annotate(String name, String value) {
        Writes.untilTaken(() -> client.resources(Granary.class)
                .inNamespace(namespace)
                .withName("social")
                .edit(old -> {
                    old.getMetadata().setAnnotations(Map.of(name, value));
                    return old;
                }));
    }

    private String step() {
        String step = Objects.requireNonNull(current().getStatus().tls()).step();
        steps.add(step);
        return step;
    }

    @Test
    void tls_switchedOn_secretsComeBeforePodsAndTheStatusTellsOfThem() {
        create(TLS);
        awaitStatefulSet("social-storage", set -> true);
        assertThat(List.of("super-peer", "storage", "operator", "client")).allSatisfy(role -> assertThat(
                        certificate(role).getSubjectX500Principal().getName())
                .contains("OU=granary-" + role));
        answer.set(new ClusterObserver.Answer.Seen(view(CLUSTER_ID, 3, 3)));
        var status = awaitStatus(now -> isTrue(now, "Ready"));
        assertThat(Objects.requireNonNull(status.tls()).step()).isEqualTo("Steady");
        assertCondition(status, "CertificatesValid", "True", "Steady");
        double rounds = reconciles();
        awaiting().until(() -> reconciles() > rounds + 5);
        assertThat(current().getStatus().tls()).isEqualTo(status.tls());
    }

    @Test
    void renewCa_podThatIsLate_isWaitedForInBothSteps() {
        Pod pod = Serialization.unmarshal("""
                apiVersion: v1
                kind: Pod
                metadata:
                  name: social-storage-0
                  namespace: %s
                  labels:
                    app.kubernetes.io/managed-by: granary-operator
                    app.kubernetes.io/component: storage
                    granary.dev/cluster: social
                spec: {containers: [{name: storage, image: x}]}
                status:
                  podIP: 127.0.0.1
                  conditions: [{type: Ready, status: "True", lastTransitionTime: "2026-01-01T00:00:00Z"}]
                  containerStatuses: [{name: storage, image: x, imageID: x, ready: true, restartCount: 0,
                    state: {running: {}}}]
                """.formatted(namespace), Pod.class);
        client.resource(pod).create();
        client.resource(pod).updateStatus();
        create(TLS);
        awaiting()
                .until(() ->
                        current().getStatus() != null && current().getStatus().tls() != null);
        X509Certificate before = certificate("storage");
        annotate(Names.RENEW_CA_ANNOTATION, "1");
        awaiting().until(() -> step().equals("Trusting"));
        double rounds = reconciles();
        awaiting().until(() -> reconciles() > rounds + 5);
        assertThat(step()).isEqualTo("Trusting");
        assertThat(certificate("storage")).isEqualTo(before);
        assertThat(Objects.requireNonNull(current().getStatus().tls()).message())
                .contains("127.0.0.1:7501 does not trust the new CA yet");
        assertThat(client.pods()
                        .inNamespace(namespace)
                        .withName("social-storage-0")
                        .require()
                        .getMetadata()
                        .getAnnotations())
                .containsKey(Names.CERTIFICATES_ANNOTATION);

        certificates = this::upToDate;
        awaiting().until(() -> step().equals("Steady"));
        assertThat(certificate("storage").getIssuerX500Principal()).isNotEqualTo(before.getIssuerX500Principal());
        for (String role : List.of("super-peer", "storage", "operator", "client")) {
            assertThat(new HashSet<>(trusted(role))).hasSize(1);
        }
        assertThat(steps).contains("Trusting", "Steady");
    }

    @Test
    void http_switchedOnLater_monitorGetsACertificateAndTheTemplateAsksByHttps() {
        create(TLS);
        answer.set(new ClusterObserver.Answer.Seen(view(CLUSTER_ID, 3, 3)));
        awaitStatus(now -> isTrue(now, "Ready"));
        assertThat(texts("monitor")).isEmpty();
        change("{superPeers: {min: 1}, tls: {enabled: true, graceMinutes: 0, http: true}}");
        // Storage peers follow once the super-peers have been replaced, which takes pods.
        awaitStatefulSet("social-super-peer", set -> "HTTPS"
                .equals(set.getSpec()
                        .getTemplate()
                        .getSpec()
                        .getContainers()
                        .getFirst()
                        .getReadinessProbe()
                        .getHttpGet()
                        .getScheme()));
        assertThat(certificate("monitor").getSubjectX500Principal().getName()).contains("OU=granary-monitor");
    }

    @Test
    void tls_switchedOnWhilePodsRun_isRefusedAndNothingChanges() {
        create("{superPeers: {min: 1}}");
        answer.set(new ClusterObserver.Answer.Seen(view(CLUSTER_ID, 3, 3)));
        awaitStatus(now -> isTrue(now, "Ready"));
        change(TLS);
        var status = awaitStatus(now -> isTrue(now, "Stalled"));
        assertThat(status.conditions()).anySatisfy(condition -> assertThat(condition.getMessage())
                .contains("tls.enabled cannot become true while pods run", "hibernate"));
        assertThat(texts("storage")).isEmpty();
    }
}
