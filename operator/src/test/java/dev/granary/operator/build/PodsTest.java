package dev.granary.operator.build;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.operator.Samples;
import dev.granary.operator.plan.ClusterPlan;
import dev.granary.operator.plan.Names;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What holds for every template of {@link Pods}; the golden files have whole ones. */
class PodsTest {

    private static PodTemplateSpec storage(ClusterPlan plan, ClusterPlan.@Nullable Rdma rdma) {
        return Pods.template(
                plan,
                plan.storage(),
                new Pods.Kind(Names.STORAGE, "storage-node", "storage.properties", 7500, 7501, rdma));
    }

    private static PodTemplateSpec storage(String spec) {
        return storage(Samples.plan(spec), null);
    }

    private static PodTemplateSpec superPeer(String spec) {
        ClusterPlan plan = Samples.plan(spec);
        return Pods.template(
                plan,
                plan.superPeers(),
                new Pods.Kind(Names.SUPER_PEER, "super-peer", "super-peer.properties", 7400, 7401, null));
    }

    private static Container container(PodTemplateSpec template) {
        return template.getSpec().getContainers().getFirst();
    }

    private static Map<String, String> environment(PodTemplateSpec template) {
        Map<String, String> values = new TreeMap<>();
        container(template)
                .getEnv()
                .forEach(each -> values.put(each.getName(), each.getValue() == null ? "" : each.getValue()));
        return values;
    }

    private static @Nullable String fingerprint(PodTemplateSpec template) {
        return template.getMetadata().getAnnotations().get(Names.FINGERPRINT_ANNOTATION);
    }

    /** By that the operator knows that a pod may stay and its memory be changed in place. */
    @Test
    void template_onlyTheMemoryIsAnother_hasTheSameFingerprint() {
        PodTemplateSpec small = storage("{storagePeers: {memory: 1Gi}}");
        PodTemplateSpec large = storage("{storagePeers: {memory: 9Gi}}");
        assertThat(fingerprint(large)).isEqualTo(fingerprint(small)).isNotNull();
        assertThat(large).isNotEqualTo(small);
        assertThat(environment(large).get("GRANARY_MEMORY_SIZE"))
                .isNotEqualTo(environment(small).get("GRANARY_MEMORY_SIZE"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{image: \"example.org/granary:2\"}",
                "{storagePeers: {durability: synced}}",
                "{storagePeers: {resources: {requests: {cpu: 2}}}}",
                "{storagePeers: {pod: {env: [{name: A, value: b}]}}}",
                "{storagePeers: {pod: {sidecars: [{name: a, image: b}]}}}",
                "{storagePeers: {pod: {volumes: [{name: a, emptyDir: {}}]}}}"
            })
    void template_somethingElseIsAnother_hasAnotherFingerprint(String spec) {
        assertThat(fingerprint(storage(spec))).isNotEqualTo(fingerprint(storage("{}")));
    }

    /** A super-peer's memory is its heap, which cannot change while it runs. */
    @Test
    void template_superPeer_hasNoFingerprintAndNoChunkMemory() {
        assertThat(fingerprint(superPeer("{}"))).isNull();
        assertThat(environment(superPeer("{}"))).doesNotContainKeys("GRANARY_MEMORY_SIZE", "GRANARY_ZONE_FILE");
    }

    @Test
    void template_partsOfTheUser_comeAfterTheOperatorsOwn() {
        PodTemplateSpec template = storage("""
                {storagePeers: {pod: {
                  volumes: [{name: ca, configMap: {name: company-ca}}],
                  volumeMounts: [{name: ca, mountPath: /etc/ssl/company}],
                  sidecars: [{name: shipper, image: "example.org/shipper:1", resources: {limits: {memory: 64Mi}}}],
                  initContainers: [{name: wait, image: "example.org/wait:1", restartPolicy: Always}],
                  securityContext: {fsGroup: 7, supplementalGroups: [8]},
                  containerSecurityContext: {readOnlyRootFilesystem: false},
                  terminationGracePeriodSeconds: 60, runtimeClassName: gvisor, schedulerName: mine,
                  dnsPolicy: None, dnsConfig: {nameservers: [192.0.2.1]}}}}
                """);
        PodSpec pod = template.getSpec();
        assertThat(pod.getContainers()).extracting(Container::getName).containsExactly("storage", "shipper");
        assertThat(pod.getInitContainers()).extracting(Container::getName).containsExactly("wait");
        assertThat(pod.getVolumes())
                .extracting(Volume::getName)
                .contains("config")
                .endsWith("ca");
        assertThat(container(template).getVolumeMounts())
                .extracting(VolumeMount::getMountPath)
                .contains("/etc/granary")
                .endsWith("/etc/ssl/company");
        assertThat(pod.getSecurityContext().getFsGroup()).isEqualTo(7);
        assertThat(pod.getSecurityContext().getSupplementalGroups()).containsExactly(8L);
        assertThat(pod.getSecurityContext().getRunAsNonRoot()).isTrue();
        assertThat(container(template).getSecurityContext().getReadOnlyRootFilesystem())
                .isFalse();
        assertThat(container(template).getSecurityContext().getCapabilities().getDrop())
                .containsExactly("ALL");
        assertThat(pod.getTerminationGracePeriodSeconds()).isEqualTo(60);
        assertThat(pod.getRuntimeClassName()).isEqualTo("gvisor");
        assertThat(pod.getSchedulerName()).isEqualTo("mine");
        assertThat(pod.getDnsPolicy()).isEqualTo("None");
        assertThat(pod.getDnsConfig().getNameservers()).containsExactly("192.0.2.1");
    }

    /** An older CRD may have let it in; a process needs this time for the address to be forgotten. */
    @Test
    void template_graceBelowTheLeast_isTheLeast() {
        PodTemplateSpec template = storage("{storagePeers: {pod: {terminationGracePeriodSeconds: 1}}}");
        assertThat(template.getSpec().getTerminationGracePeriodSeconds()).isEqualTo(30);
    }

    @Test
    void template_labelsOfTheUser_neverReplaceThoseByWhichTheOperatorFindsPods() {
        PodTemplateSpec template = storage("{storagePeers: {pod: {labels: {team: shop, granary.dev/guarded: \"no\","
                + " granary.dev/cluster: other, app.kubernetes.io/component: other}}}}");
        assertThat(template.getMetadata().getLabels())
                .containsEntry("team", "shop")
                .containsEntry(Names.GUARD_LABEL, "true")
                .containsEntry(Names.CLUSTER_LABEL, "social")
                .containsEntry(Names.COMPONENT_LABEL, Names.STORAGE);
    }

    @Test
    void template_annotationsOfTheUser_replaceOnlyThoseForPrometheus() {
        PodTemplateSpec template = storage("{storagePeers: {pod: {annotations: {prometheus.io/scrape: \"false\"}}}}");
        assertThat(template.getMetadata().getAnnotations())
                .containsEntry("prometheus.io/scrape", "false")
                .containsEntry("prometheus.io/port", "7501")
                .containsKey(Names.MEMORY_MAX_ANNOTATION);
    }

    /** Kubernetes takes the last of two variables with one name. */
    @Test
    void template_environmentOfTheUser_isBehindAllOthers() {
        List<EnvVar> variables = container(
                        storage("{storagePeers: {pod: {env: [{name: GRANARY_DURABILITY, value: synced}]}}}"))
                .getEnv();
        assertThat(variables.getLast().getName()).isEqualTo("GRANARY_DURABILITY");
        assertThat(variables.getLast().getValue()).isEqualTo("synced");
        List<String> names =
                new ArrayList<>(variables.stream().map(EnvVar::getName).toList());
        names.removeLast();
        assertThat(names).doesNotHaveDuplicates().contains("GRANARY_DURABILITY");
    }

    @Test
    void template_tls_eachRoleHasItsCertificateAndStoragePeersADoorWithTls() {
        String spec = "{redis: {enabled: true}, tls: {enabled: true, clientAuthentication: optional,"
                + " redisClientAuthentication: none}}";
        assertThat(environment(superPeer(spec)))
                .containsEntry("GRANARY_TLS_DIRECTORY", "/etc/granary-tls")
                .containsEntry("GRANARY_TLS_CLIENT_AUTHENTICATION", "optional")
                .doesNotContainKey("GRANARY_REDIS_TLS");
        assertThat(environment(storage(spec)))
                .containsEntry("GRANARY_REDIS_TLS", "true")
                .containsEntry("GRANARY_REDIS_TLS_CLIENT_AUTHENTICATION", "none");
        assertThat(secretOfTls(superPeer(spec))).isEqualTo("social-granary-tls-super-peer");
        assertThat(secretOfTls(storage(spec))).isEqualTo("social-granary-tls-storage");
        String others = "{tls: {enabled: true, secrets: {superPeers: {name: a}, storagePeers: {name: b},"
                + " operator: {name: c}}}}";
        assertThat(secretOfTls(superPeer(others))).isEqualTo("a");
        assertThat(secretOfTls(storage(others))).isEqualTo("b");
        assertThat(TlsVolume.isAmong(storage("{}").getSpec().getVolumes())).isFalse();
    }

    /** The kubelet and whoever follows the annotations of Prometheus ask in the way in which the process answers. */
    @Test
    void template_tlsOfHttp_probesAndAnnotationsSayHttps() {
        String spec = "{tls: {enabled: true, http: true}}";
        for (PodTemplateSpec template : List.of(superPeer(spec), storage(spec))) {
            assertThat(environment(template)).containsEntry("GRANARY_HTTP_TLS", "true");
            assertThat(template.getMetadata().getAnnotations()).containsEntry("prometheus.io/scheme", "https");
            Container container = template.getSpec().getContainers().getFirst();
            assertThat(List.of(
                            container.getReadinessProbe(), container.getLivenessProbe(), container.getStartupProbe()))
                    .allSatisfy(
                            probe -> assertThat(probe.getHttpGet().getScheme()).isEqualTo("HTTPS"));
        }
        for (String without : List.of("{tls: {enabled: true}}", "{tls: {http: true}}")) {
            assertThat(environment(storage(without))).doesNotContainKey("GRANARY_HTTP_TLS");
            assertThat(storage(without).getMetadata().getAnnotations()).doesNotContainKey("prometheus.io/scheme");
            assertThat(storage(without)
                            .getSpec()
                            .getContainers()
                            .getFirst()
                            .getReadinessProbe()
                            .getHttpGet()
                            .getScheme())
                    .isEqualTo("HTTP");
        }
    }

    private static String secretOfTls(PodTemplateSpec template) {
        assertThat(template.getSpec().getContainers().getFirst().getVolumeMounts())
                .anySatisfy(mount -> assertThat(mount.getMountPath()).isEqualTo(TlsVolume.DIRECTORY));
        return template.getSpec().getVolumes().stream()
                .filter(volume -> volume.getName().equals(TlsVolume.VOLUME))
                .findFirst()
                .orElseThrow()
                .getSecret()
                .getSecretName();
    }

    @Test
    void template_leasesAreNotThoseOfProcesses_superPeersAloneAreTold() {
        String spec = "{storagePeers: {leaseSeconds: 2}}";
        assertThat(environment(superPeer(spec))).containsEntry("GRANARY_LEASE_DURATION", "2s");
        assertThat(environment(storage(spec))).doesNotContainKey("GRANARY_LEASE_DURATION");
        assertThat(environment(superPeer("{}"))).containsEntry("GRANARY_LEASE_DURATION", "1s");
        assertThat(environment(superPeer("{storagePeers: {leaseSeconds: 3}}")))
                .doesNotContainKey("GRANARY_LEASE_DURATION");
    }

    @Test
    void template_memory_isRequestedAndLimitedAlikeAndHoldsAllParts() {
        PodTemplateSpec template = storage("{storagePeers: {memory: 4Gi}}");
        var resources = container(template).getResources();
        assertThat(resources.getRequests().get("memory"))
                .isEqualTo(resources.getLimits().get("memory"))
                .hasToString("4Gi");
        assertThat(environment(template)).containsEntry("GRANARY_MEMORY_LIMIT", "4Gi");
        assertThat(environment(template).get("GRANARY_JVM_OPTIONS")).contains("-Xmx256m", "ExitOnOutOfMemoryError");
    }

    @Test
    void template_rdma_asksForDevicesAndTheOneCapability() {
        ClusterPlan.Rdma rdma = Samples.plan("{rdma: {mode: required, resourceName: rdma/a, count: 2}}")
                .rdma();
        Container with = container(storage(Samples.plan("{}"), rdma));
        assertThat(with.getResources().getRequests().get("rdma/a")).hasToString("2");
        assertThat(with.getResources().getLimits().get("rdma/a")).hasToString("2");
        assertThat(with.getSecurityContext().getCapabilities().getAdd()).containsExactly("IPC_LOCK");
        Container without = container(storage("{}"));
        assertThat(without.getSecurityContext().getCapabilities().getAdd()).isNullOrEmpty();
        assertThat(without.getResources().getLimits()).doesNotContainKey("rdma/a");
    }

    private static int seconds(Probe probe) {
        return probe.getPeriodSeconds() * probe.getFailureThreshold();
    }

    /** A restart costs a recovery, or chunks without copies. */
    @Test
    void template_probes_takeAPodOutSoonAndRestartItLate() {
        for (PodTemplateSpec template : List.of(storage("{}"), superPeer("{}"))) {
            Container container = container(template);
            assertThat(seconds(container.getReadinessProbe())).isLessThanOrEqualTo(5);
            assertThat(seconds(container.getLivenessProbe())).isGreaterThanOrEqualTo(60);
            assertThat(seconds(container.getStartupProbe())).isGreaterThanOrEqualTo(120);
            assertThat(container.getReadinessProbe().getHttpGet().getPath()).isEqualTo("/readyz");
            assertThat(container.getLivenessProbe().getHttpGet().getPath()).isEqualTo("/healthz");
        }
    }

    @Test
    void template_each_isRestrictedAndGivesThePodNoRights() {
        for (PodTemplateSpec template : List.of(storage("{}"), superPeer("{}"))) {
            assertThat(template.getSpec().getAutomountServiceAccountToken()).isFalse();
            assertThat(template.getSpec().getEnableServiceLinks()).isFalse();
            assertThat(template.getSpec().getSecurityContext().getRunAsNonRoot())
                    .isTrue();
            var context = container(template).getSecurityContext();
            assertThat(context.getAllowPrivilegeEscalation()).isFalse();
            assertThat(context.getReadOnlyRootFilesystem()).isTrue();
            assertThat(context.getCapabilities().getDrop()).containsExactly("ALL");
        }
    }

    /** The volume of the data comes from a template of claims. */
    @Test
    void template_each_mountsWhatItHasAndWritesOnlyToDataAndTmp() {
        for (PodTemplateSpec template : List.of(storage("{}"), superPeer("{}"))) {
            List<String> volumes = new ArrayList<>(template.getSpec().getVolumes().stream()
                    .map(Volume::getName)
                    .toList());
            volumes.add(Pods.DATA_VOLUME);
            List<VolumeMount> mounts = container(template).getVolumeMounts();
            assertThat(mounts).extracting(VolumeMount::getName).containsExactlyInAnyOrderElementsOf(volumes);
            assertThat(mounts.stream().filter(mount -> !Boolean.TRUE.equals(mount.getReadOnly())))
                    .extracting(VolumeMount::getMountPath)
                    .containsExactlyInAnyOrder(Pods.DATA_DIRECTORY, "/tmp");
        }
    }
}
