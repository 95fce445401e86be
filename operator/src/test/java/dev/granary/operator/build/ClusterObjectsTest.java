package dev.granary.operator.build;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.granary.operator.Golden;
import dev.granary.operator.Samples;
import dev.granary.operator.plan.ClusterPlan;
import dev.granary.operator.plan.Existing;
import dev.granary.operator.plan.Names;
import dev.granary.operator.plan.OperatorDefaults;
import dev.granary.operator.plan.Planner;
import dev.granary.operator.plan.TemplateHistory;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PodSecurityContext;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServicePort;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The objects of a cluster, as YAML under {@code src/test/resources/golden}. */
class ClusterObjectsTest {
    private static final String POD = """
            {storagePeers: {pod: {
              labels: {team: shop, granary.dev/guarded: "no"},
              annotations: {sidecar.istio.io/inject: "false", prometheus.io/scrape: "false"},
              nodeSelector: {disk: fast},
              tolerations: [{key: cache, operator: Exists, effect: NoSchedule}],
              affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [
                {matchExpressions: [{key: kind, operator: In, values: [big]}]}]}}},
              antiAffinity: required,
              topologySpreadConstraints: [{maxSkew: 1, topologyKey: rack, whenUnsatisfiable: DoNotSchedule}],
              priorityClassName: high}}}
            """;

    private static final String RDMA =
            "{rdma: {mode: required, resourceName: rdma/a, count: 2, nodeSelector: {rdma.capable: \"true\"}}}";

    @ParameterizedTest
    @CsvSource({"0,service-account", "1,config-map", "2,service-super-peer", "3,service-storage", "4,service-client"})
    void smallObjects_defaults_asInGoldenFile(int index, String file) {
        check(file, ClusterObjects.of(Samples.plan("{}")).get(index));
    }

    @ParameterizedTest
    @CsvSource({"5,budget-super-peer", "6,budget-storage", "7,stateful-set-super-peer", "8,stateful-set-storage"})
    void workloads_defaults_asInGoldenFile(int index, String file) {
        check(file, ClusterObjects.of(Samples.plan("{}")).get(index));
    }

    @Test
    void budgets_podThatIsNotReady_mayBeEvictedUnlessItHasTheOnlyCopy() {
        assertThat(unhealthy("{}", Names.STORAGE)).isEqualTo("AlwaysAllow");
        assertThat(unhealthy("{storagePeers: {copies: 0}}", Names.STORAGE)).isEqualTo("IfHealthyBudget");
        assertThat(unhealthy("{storagePeers: {copies: 0}}", Names.SUPER_PEER)).isEqualTo("AlwaysAllow");
    }

    private static String unhealthy(String spec, String component) {
        return DisruptionBudgets.of(Samples.plan(spec), component).getSpec().getUnhealthyPodEvictionPolicy();
    }

    @Test
    void storage_rdmaOn_asksForDeviceCapabilityAndNode() {
        check("stateful-set-storage-rdma", StatefulSets.storage(Samples.plan(RDMA)));
    }

    @Test
    void storage_podOverrides_areInTheTemplateBesideWhatTheOperatorNeeds() {
        check("stateful-set-storage-pod-overrides", StatefulSets.storage(Samples.plan(POD)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{labels: {team: shop}}",
                "{annotations: {a: b}}",
                "{nodeSelector: {disk: fast}}",
                "{tolerations: [{key: cache, operator: Exists}]}",
                "{affinity: {nodeAffinity: {}}}",
                "{antiAffinity: required}",
                "{topologySpreadConstraints: []}",
                "{priorityClassName: high}",
                "{env: [{name: HTTPS_PROXY, value: \"proxy:80\"}]}"
            })
    void templates_podOverride_isAnotherForThatRoleOnly(String pod) {
        ClusterPlan plain = Samples.plan("{}");
        ClusterPlan other = Samples.plan("{storagePeers: {pod: " + pod + "}}");
        assertThat(TemplateInputs.of(other, other.storage(), Names.STORAGE))
                .isNotEqualTo(TemplateInputs.of(plain, plain.storage(), Names.STORAGE));
        assertThat(TemplateInputs.of(other, other.superPeers(), Names.SUPER_PEER))
                .isEqualTo(TemplateInputs.of(plain, plain.superPeers(), Names.SUPER_PEER));
    }

    @Test
    void templates_httpGetsTls_areOthersForBothRoles() {
        ClusterPlan plain = Samples.plan("{tls: {enabled: true}}");
        ClusterPlan other = Samples.plan("{tls: {enabled: true, http: true}}");
        assertThat(TemplateInputs.of(other, other.storage(), Names.STORAGE))
                .isNotEqualTo(TemplateInputs.of(plain, plain.storage(), Names.STORAGE));
        assertThat(TemplateInputs.of(other, other.superPeers(), Names.SUPER_PEER))
                .isNotEqualTo(TemplateInputs.of(plain, plain.superPeers(), Names.SUPER_PEER));
    }

    @Test
    void templates_podOverridesThatChangeNothing_areThoseOfBefore() {
        ClusterPlan plain = Samples.plan("{}");
        ClusterPlan same = Samples.plan("{storagePeers: {pod: {antiAffinity: preferred}}}");
        assertThat(TemplateInputs.of(same, same.storage(), Names.STORAGE))
                .isEqualTo(TemplateInputs.of(plain, plain.storage(), Names.STORAGE));
    }

    @Test
    void templates_platformThatAssignsUsers_nameNoneAndAreOthers() {
        ClusterPlan plain = Samples.plan("{}");
        ClusterPlan assigned = new Planner(new OperatorDefaults("example.org/granary:1", "IfNotPresent", null, true))
                .plan(Samples.granary("social", "{}"), Existing.NOTHING);
        PodSecurityContext context =
                StatefulSets.storage(assigned).getSpec().getTemplate().getSpec().getSecurityContext();
        assertThat(context.getRunAsUser()).isNull();
        assertThat(context.getRunAsGroup()).isNull();
        assertThat(context.getFsGroup()).isNull();
        assertThat(context.getRunAsNonRoot()).isTrue();
        assertThat(TemplateInputs.of(assigned, assigned.storage(), Names.STORAGE))
                .isNotEqualTo(TemplateInputs.of(plain, plain.storage(), Names.STORAGE));
    }

    @Test
    void templates_env_comesBehindThatOfTheOperator() {
        var plan = Samples.plan("{superPeers: {pod: {env: [{name: HTTPS_PROXY, value: \"proxy:80\"}]}}}");
        assertThat(environment(StatefulSets.superPeers(plan)))
                .containsEntry("HTTPS_PROXY", "proxy:80")
                .containsEntry("GRANARY_NODE_NAME", "$(POD_NAME)");
        assertThat(environment(StatefulSets.storage(plan))).doesNotContainKey("HTTPS_PROXY");
    }

    @Test
    void templates_resources_areOfTheRoleBesideItsMemory() {
        var plan = Samples.plan("{storagePeers: {memory: 4Gi, resources: {requests: {cpu: 1500m, hugepages-2Mi: 1Gi},"
                + " limits: {cpu: 2, hugepages-2Mi: 1Gi, ephemeral-storage: 2Gi}}}}");
        var resources = StatefulSets.storage(plan)
                .getSpec()
                .getTemplate()
                .getSpec()
                .getContainers()
                .getFirst()
                .getResources();
        assertThat(resources.getRequests()).hasToString("{cpu=1500m, hugepages-2Mi=1Gi, memory=4Gi}");
        assertThat(resources.getLimits()).hasToString("{cpu=2, ephemeral-storage=2Gi, hugepages-2Mi=1Gi, memory=4Gi}");
    }

    @Test
    void serviceAccount_annotationsAndLabels_areBesideThoseOfTheOperator() {
        var account = ServiceAccounts.of(
                Samples.plan(
                        "{serviceAccount: {annotations: {eks.amazonaws.com/role-arn: arn}, labels: {team: shop, granary.dev/cluster: x}}}"));
        assertThat(account.getMetadata().getAnnotations()).containsEntry("eks.amazonaws.com/role-arn", "arn");
        assertThat(account.getMetadata().getLabels())
                .containsEntry("team", "shop")
                .containsEntry("granary.dev/cluster", "social");
    }

    @Test
    void statefulSets_volumesAreToGo_thoseOfSuperPeersAndOfAHibernationStay() {
        var plan = Samples.plan(
                "{volumeRetention: {whenDeleted: Delete, whenScaled: Delete}}",
                Samples.existing(3, 3, null, null, "7d9f"));
        assertThat(retention(StatefulSets.storage(plan))).isEqualTo("Delete Delete");
        assertThat(retention(StatefulSets.superPeers(plan))).isEqualTo("Delete Retain");
        var asleep = plan.with(plan.superPeers(), plan.storage().sleeping(true));
        assertThat(retention(StatefulSets.storage(asleep))).isEqualTo("Delete Retain");
        assertThat(retention(StatefulSets.storage(Samples.plan("{}")))).isEqualTo("Retain Retain");
    }

    private static String retention(StatefulSet set) {
        var policy = set.getSpec().getPersistentVolumeClaimRetentionPolicy();
        return policy.getWhenDeleted() + " " + policy.getWhenScaled();
    }

    @Test
    void networkPolicy_enabled_letsInPeersOperatorClientsAndPrometheus() {
        ClusterPlan plan = Samples.plan(
                "{networkPolicy: {enabled: true, clients: [{podSelector: {matchLabels: {app: web}}},"
                        + " {namespaceSelector: {matchLabels: {team: search}}}], metricsFrom: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: monitoring}}, podSelector: {matchLabels: {app: prometheus}}}]}}");
        check(
                "network-policy",
                NetworkPolicies.of(plan, Objects.requireNonNull(plan.access().networkPolicy())));
    }

    @Test
    void networkPolicy_emptyLists_letNobodyInThroughThem() {
        ClusterPlan plan = Samples.plan("{networkPolicy: {enabled: true, clients: [], metricsFrom: []}}");
        var rules = NetworkPolicies.of(
                        plan, Objects.requireNonNull(plan.access().networkPolicy()))
                .getSpec()
                .getIngress();
        assertThat(rules).hasSize(3).noneMatch(rule -> rule.getFrom().isEmpty());
    }

    @Test
    void objects_networkPolicyIsOffOrOn_haveNoneOrOne() {
        assertThat(kinds("{networkPolicy: {enabled: false}}")).doesNotContain("NetworkPolicy");
        assertThat(kinds("{networkPolicy: {enabled: true}}")).containsOnlyOnce("NetworkPolicy");
    }

    @Test
    void redis_enabled_hasAServiceOfReadyStoragePeersAndTheirPort() {
        ClusterPlan plan = Samples.plan(
                "{redis: {enabled: true, service: {type: LoadBalancer, annotations: {example.org/scheme: internal}}}}");
        check("service-redis", service("social-redis", plan));
        check("stateful-set-storage-redis", StatefulSets.storage(plan));
        assertThat(service("social-storage", plan).getSpec().getPorts())
                .extracting(ServicePort::getName)
                .containsExactly("granary", "http", "inside", "admin", "redis");
    }

    private static Service service(String name, ClusterPlan plan) {
        return ClusterObjects.of(plan).stream()
                .filter(Service.class::isInstance)
                .map(Service.class::cast)
                .filter(service -> service.getMetadata().getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "{redis: {enabled: false}}", "{redis: {announce: {firstPort: 31000}}}"})
    void redis_notEnabled_changesNothing(String spec) {
        assertThat(ClusterObjects.of(Samples.plan(spec))).isEqualTo(ClusterObjects.of(Samples.plan("{}")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{enabled: true, announce: {host: \"{hostname}\"}}",
                "{enabled: true, announce: {port: 7000}}",
                "{enabled: true, announce: {firstPort: 31000}}",
                "{enabled: true, redirect: never}",
                "{enabled: true, maxClients: 5}",
                "{enabled: true, idleSeconds: 5}"
            })
    void redis_doorChanges_templateOfStoragePeersIsAnother(String redis) {
        ClusterPlan plain = Samples.plan("{redis: {enabled: true}}");
        ClusterPlan other = Samples.plan("{redis: " + redis + "}");
        assertThat(TemplateInputs.of(other, other.storage(), Names.STORAGE))
                .isNotEqualTo(TemplateInputs.of(plain, plain.storage(), Names.STORAGE));
        assertThat(TemplateInputs.of(other, other.superPeers(), Names.SUPER_PEER))
                .isEqualTo(TemplateInputs.of(plain, plain.superPeers(), Names.SUPER_PEER));
    }

    @Test
    void redis_serviceChanges_templateStays() {
        ClusterPlan plain = Samples.plan("{redis: {enabled: true}}");
        ClusterPlan other = Samples.plan("{redis: {enabled: true, service: {type: NodePort, annotations: {a: b}}}}");
        assertThat(TemplateInputs.of(other, other.storage(), Names.STORAGE))
                .isEqualTo(TemplateInputs.of(plain, plain.storage(), Names.STORAGE));
    }

    @Test
    void networkPolicy_storagePeersHaveDoors_clientsAloneReachThem() {
        ClusterPlan plan = Samples.plan("{redis: {enabled: true}, networkPolicy: {enabled: true, metricsFrom: ["
                + "{podSelector: {}}], clients: [{podSelector: {matchLabels: {app: web}}}]}}");
        var rules = NetworkPolicies.of(
                        plan, Objects.requireNonNull(plan.access().networkPolicy()))
                .getSpec()
                .getIngress();
        assertThat(rules.stream().filter(rule -> rule.getPorts().stream()
                        .anyMatch(port -> port.getPort().getIntVal() == Names.REDIS_PORT)))
                .singleElement()
                .satisfies(rule -> assertThat(rule.getFrom()).singleElement().satisfies(peer -> assertThat(
                                peer.getPodSelector().getMatchLabels())
                        .isEqualTo(Map.of("app", "web"))));
    }

    private static List<String> kinds(String spec) {
        return ClusterObjects.of(Samples.plan(spec)).stream()
                .map(HasMetadata::getKind)
                .toList();
    }

    @Test
    void statefulSets_asleep_haveNoPodsAndKeepTheirNumber() {
        ClusterPlan plan = Samples.plan("{}", Samples.existing(3, 5, "1Gi", "10Gi", "7d9f"));
        StatefulSet set =
                StatefulSets.storage(plan.with(plan.superPeers(), plan.storage().sleeping(true)));
        assertThat(set.getSpec().getReplicas()).isZero();
        assertThat(set.getMetadata().getAnnotations()).containsEntry("granary.dev/asleep", "5");
        assertThat(StatefulSets.superPeers(plan).getMetadata().getAnnotations())
                .doesNotContainKey("granary.dev/asleep");
    }

    @Test
    void podMonitor_labelsAndInterval_asInGoldenFile() {
        ClusterPlan plan =
                Samples.plan("{monitoring: {podMonitor: true, intervalSeconds: 30, labels: {release: prometheus}}}");
        check(
                "pod-monitor",
                PodMonitors.of(plan, Objects.requireNonNull(plan.access().podMonitor())));
    }

    /** Prometheus shows the certificate that is for it, or that which somebody else keeps for it, or none. */
    @Test
    void podMonitor_tlsOfHttp_trustsTheCaAndShowsTheCertificateForMonitoring() {
        String names = "secrets: {superPeers: {name: a}, storagePeers: {name: b}, operator: {name: c}";
        for (String[] each : new String[][] {
            {"", "social-granary-tls-monitor", "social-granary-tls-monitor"},
            {", " + names + ", monitor: {name: d}}", "d", "d"},
            {", " + names + "}", "a", null}
        }) {
            ClusterPlan plan =
                    Samples.plan("{monitoring: {podMonitor: true}, tls: {enabled: true, http: true" + each[0] + "}}");
            JsonNode endpoint = new ObjectMapper()
                    .valueToTree(PodMonitors.of(
                            plan, Objects.requireNonNull(plan.access().podMonitor())))
                    .at("/spec/podMetricsEndpoints/0");
            assertThat(endpoint.path("scheme").asText()).isEqualTo("https");
            assertThat(endpoint.at("/tlsConfig/serverName").asText()).isEqualTo("localhost");
            assertThat(endpoint.at("/tlsConfig/ca/secret/name").asText()).isEqualTo(each[1]);
            assertThat(endpoint.at("/tlsConfig/keySecret/name").asText(null)).isEqualTo(each[2]);
        }
    }

    @Test
    void superPeers_threeAndClusterIdRecorded_noneBootstrapsAndIdIsAnnotated() {
        ClusterPlan plan = Samples.plan(
                "{superPeers: {min: 3, memory: 1Gi, volume: {size: 2Gi, storageClassName: fast}}}",
                Samples.existing(3, 3, null, null, "7d9f"));
        check("config-map-three-super-peers", Configuration.of(plan));
        check("stateful-set-three-super-peers", StatefulSets.superPeers(plan));
    }

    @Test
    void objects_all_ownedByResourceLabelledAndNoTwoAlike() {
        var objects = ClusterObjects.of(Samples.plan("{}"));
        assertThat(objects).allSatisfy(object -> {
            assertThat(object.getMetadata().getOwnerReferences()).hasSize(1).allSatisfy(owner -> {
                assertThat(owner.getUid()).isEqualTo("11111111-2222-3333-4444-555555555555");
                assertThat(owner.getController()).isTrue();
            });
            assertThat(object.getMetadata().getLabels()).containsEntry("granary.dev/cluster", "social");
            assertThat(object.getMetadata().getNamespace()).isEqualTo("shop");
        });
        assertThat(objects.stream()
                        .map(o -> o.getKind() + "/" + o.getMetadata().getName())
                        .collect(Collectors.toSet()))
                .hasSize(objects.size());
    }

    @Test
    void superPeerTemplate_bootstrapEnds_staysTheSame() {
        var before = StatefulSets.superPeers(Samples.plan("{}"));
        var after = StatefulSets.superPeers(Samples.plan("{}", Samples.existing(1, 3, "1Gi", "10Gi", "7d9f")));
        assertThat(Configuration.of(Samples.plan("{}")).getData().get("social-super-peer-0.properties"))
                .contains("ring.bootstrap=true");
        assertThat(after.getSpec()).isEqualTo(before.getSpec());
    }

    @Test
    void storageTemplate_memoryChanges_isAnother() {
        var before = StatefulSets.storage(Samples.plan("{storagePeers: {memory: 2Gi}}"));
        var after = StatefulSets.storage(Samples.plan("{storagePeers: {memory: 3Gi}}"));
        assertThat(after.getSpec().getTemplate()).isNotEqualTo(before.getSpec().getTemplate());
    }

    @Test
    void templates_copiesAreAskedForOtherwise_areOthersThatTellTheProcesses() {
        var plan = Samples.plan("{storagePeers: {copies: 1, durability: synced}}");
        assertThat(environment(StatefulSets.superPeers(plan))).containsEntry("GRANARY_ZONE_BACKUPS", "1");
        assertThat(environment(StatefulSets.storage(plan))).containsEntry("GRANARY_DURABILITY", "synced");
        var defaults = Samples.plan("{}");
        assertThat(TemplateInputs.of(plan, plan.superPeers(), Names.SUPER_PEER))
                .isNotEqualTo(TemplateInputs.of(defaults, defaults.superPeers(), Names.SUPER_PEER));
        assertThat(TemplateInputs.of(plan, plan.storage(), Names.STORAGE))
                .isNotEqualTo(TemplateInputs.of(defaults, defaults.storage(), Names.STORAGE));
    }

    @Test
    void templates_otherLeases_onlyThatOfSuperPeersIsAnother() {
        var plan = Samples.plan("{storagePeers: {leaseSeconds: 5}}");
        var defaults = Samples.plan("{}");
        assertThat(environment(StatefulSets.superPeers(plan))).containsEntry("GRANARY_LEASE_DURATION", "5s");
        assertThat(environment(StatefulSets.superPeers(defaults))).containsEntry("GRANARY_LEASE_DURATION", "1s");
        assertThat(TemplateInputs.of(plan, plan.superPeers(), Names.SUPER_PEER))
                .isNotEqualTo(TemplateInputs.of(defaults, defaults.superPeers(), Names.SUPER_PEER));
        assertThat(TemplateInputs.of(plan, plan.storage(), Names.STORAGE))
                .isEqualTo(TemplateInputs.of(defaults, defaults.storage(), Names.STORAGE));
    }

    @Test
    void templates_loggingIsSet_bothRolesLogThatWay() {
        var plan = Samples.plan("{logging: {format: text, level: debug}}");
        var defaults = Samples.plan("{logging: {format: json, level: info}}");
        for (var set : List.of(StatefulSets.superPeers(plan), StatefulSets.storage(plan))) {
            assertThat(environment(set))
                    .containsEntry("GRANARY_LOG_FORMAT", "text")
                    .containsEntry("GRANARY_LOG_LEVEL", "debug");
        }
        assertThat(environment(StatefulSets.storage(defaults)))
                .doesNotContainKeys("GRANARY_LOG_FORMAT", "GRANARY_LOG_LEVEL");
        assertThat(TemplateInputs.of(plan, plan.storage(), Names.STORAGE))
                .isNotEqualTo(TemplateInputs.of(defaults, defaults.storage(), Names.STORAGE));
        var unset = Samples.plan("{}");
        assertThat(TemplateInputs.of(defaults, defaults.storage(), Names.STORAGE))
                .isEqualTo(TemplateInputs.of(unset, unset.storage(), Names.STORAGE));
    }

    @Test
    void templates_consoleIsOn_superPeersAloneShowIt() {
        var plan = Samples.plan("{superPeers: {console: true}}");
        var defaults = Samples.plan("{}");
        assertThat(environment(StatefulSets.superPeers(plan))).containsEntry("GRANARY_CONSOLE", "true");
        assertThat(environment(StatefulSets.storage(plan))).doesNotContainKey("GRANARY_CONSOLE");
        assertThat(environment(StatefulSets.superPeers(defaults))).doesNotContainKey("GRANARY_CONSOLE");
        assertThat(TemplateInputs.of(plan, plan.superPeers(), Names.SUPER_PEER))
                .isNotEqualTo(TemplateInputs.of(defaults, defaults.superPeers(), Names.SUPER_PEER));
        assertThat(TemplateInputs.of(plan, plan.storage(), Names.STORAGE))
                .isEqualTo(TemplateInputs.of(defaults, defaults.storage(), Names.STORAGE));
    }

    @Test
    void template_anotherVersionRenderedItForTheSame_stays() {
        var old = StatefulSets.storage(Samples.plan("{}"));
        String rendered =
                Objects.requireNonNull(old.getMetadata().getAnnotations().get("granary.dev/rendered"));
        old.getMetadata()
                .getAnnotations()
                .put("granary.dev/rendered", rendered.replace("granary.dev/cluster", "of-an-older-version"));
        var existing = new Existing(
                Existing.Role.NOTHING,
                new Existing.Role(3, "10Gi", TemplateHistory.of(old)),
                null,
                Existing.Devices.UNKNOWN,
                "7d9f");
        var same = StatefulSets.storage(Samples.plan("{}", existing));
        assertThat(same.getSpec().getTemplate().getMetadata().getLabels()).containsKey("of-an-older-version");
        var other = StatefulSets.storage(Samples.plan("{storagePeers: {memory: 3Gi}}", existing));
        assertThat(other.getSpec().getTemplate().getMetadata().getLabels()).doesNotContainKey("of-an-older-version");
    }

    @Test
    void volumeTemplate_anotherVersionRenderedIt_staysWhole() {
        PersistentVolumeClaim claim = Serialization.unmarshal("""
                apiVersion: v1
                kind: PersistentVolumeClaim
                metadata: {name: data, labels: {of: an-older-version}}
                spec: {accessModes: [ReadWriteOncePod], volumeMode: Filesystem, resources: {requests: {storage: 10Gi}}}
                status: {phase: Pending}
                """, PersistentVolumeClaim.class);
        var existing = new Existing(
                Existing.Role.NOTHING,
                new Existing.Role(3, "10Gi", TemplateHistory.NONE, false, claim),
                null,
                Existing.Devices.UNKNOWN,
                "7d9f");
        var plan = Samples.plan("{storagePeers: {volume: {size: 20Gi}}}", existing);
        var changed = plan.with(plan.superPeers(), plan.storage().withReplicas(4));
        assertThat(StatefulSets.storage(changed).getSpec().getVolumeClaimTemplates())
                .containsExactly(claim);
    }

    @Test
    void storageTemplate_morePeers_staysTheSame() {
        var before = StatefulSets.storage(Samples.plan("{storagePeers: {replicas: 3}}"));
        var after = StatefulSets.storage(
                Samples.plan("{storagePeers: {replicas: 5}}", Samples.existing(1, 3, "1Gi", "10Gi", "7d9f")));
        assertThat(after.getSpec().getTemplate()).isEqualTo(before.getSpec().getTemplate());
    }

    private static Map<String, String> environment(StatefulSet set) {
        return set.getSpec().getTemplate().getSpec().getContainers().getFirst().getEnv().stream()
                .filter(variable -> variable.getValue() != null)
                .collect(Collectors.toMap(EnvVar::getName, EnvVar::getValue));
    }

    private static void check(String file, HasMetadata object) {
        Golden.check(Path.of("src/test/resources/golden", file + ".yaml"), Serialization.asYaml(object));
    }
}
