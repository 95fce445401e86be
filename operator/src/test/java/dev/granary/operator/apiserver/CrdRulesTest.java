package dev.granary.operator.apiserver;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the API server accepts and refuses, and with which messages, as a user of kubectl sees it. */
@Tag("api-server")
class CrdRulesTest {
    private final ApiServer server = ApiServer.get();
    private String namespace = "";

    @BeforeEach
    void makeNamespace() {
        namespace = server.namespace("rules");
    }

    @Test
    void apply_fullForm_takenAsWritten() throws Exception {
        ApiServer.Result result = apply("""
                apiVersion: granary.dev/v1alpha1
                kind: Granary
                metadata: {name: social}
                spec:
                  superPeers: {share: 0.08, min: 1, max: 9}
                  storagePeers:
                    replicas: 3
                    memory: 2Gi
                    volume: {size: 10Gi}
                    copies: 2
                    durability: synced
                  updateStrategy: {paused: false, canarySeconds: 30, deadlineSeconds: 300}
                  rdma: {mode: disabled, resourceName: rdma/hca_shared_devices_a, count: 1}
                """);
        assertThat(result.output()).contains("granary.granary.dev/social created");
        assertThat(get("{.spec.rdma.mode}")).isEqualTo("false");
    }

    @Test
    void apply_emptySpec_getsDefaults() throws Exception {
        assertThat(applySpec("{}").exitCode()).isZero();
        assertThat(get("{.spec.storagePeers.replicas} {.spec.storagePeers.memory} {.spec.superPeers.share} {.spec.rdma.mode}"
                        + " {.spec.storagePeers.copies} {.spec.storagePeers.durability}"))
                .isEqualTo("3 2Gi 0.08 off 3 replicated");
    }

    @Test
    void apply_noSpec_getsDefaults() throws Exception {
        ApiServer.Result result = apply("apiVersion: granary.dev/v1alpha1\nkind: Granary\nmetadata: {name: social}\n");
        assertThat(result.exitCode()).as(result.output()).isZero();
        assertThat(get("{.spec.storagePeers.replicas}")).isEqualTo("3");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    {storagePeers: {replicas: -1}}                     | storagePeers.replicas must be from 1 to 32767
                    {storagePeers: {replicas: 0}}                      | a cluster without a storage peer keeps nothing
                    {storagePeers: {memory: 100Mi}}                    | storagePeers.memory must be at least 512Mi
                    {storagePeers: {memory: 100Ti}}                    | storagePeers.memory must be at most 8Ti
                    {storagePeers: {memory: lots}}                     | storagePeers.memory must be a quantity such as 512Mi or 2Gi
                    {storagePeers: {memory: 1000}}                     | storagePeers.memory must be at least 512Mi
                    {storagePeers: {resources: {requests: {cpu: "0"}}}}                         | storagePeers.resources must be a quantity above 0
                    {storagePeers: {copies: 4}}                       | storagePeers.copies must be from 0 to 3
                    {storagePeers: {copies: -1}}                      | storagePeers.copies must be from 0 to 3
                    {storagePeers: {durability: always}}               | storagePeers.durability must be async, replicated or synced
                    {storagePeers: {leaseSeconds: 0}}                  | storagePeers.leaseSeconds must be from 1 to 60
                    {storagePeers: {volume: {size: none}}}             | storagePeers.volume.size must be a quantity above 0
                    {superPeers: {share: 0}}                      | superPeers.share must be greater than 0 and at most 1
                    {superPeers: {share: 1.5}}                    | superPeers.share must be greater than 0 and at most 1
                    {superPeers: {min: 5, max: 2}}                | superPeers.min must not be greater than superPeers.max
                    {superPeers: {max: 10}}                       | superPeers.max must be from 1 to 9
                    {superPeers: {memory: 64Mi}}                  | superPeers.memory must be at least 384Mi
                    {updateStrategy: {canarySeconds: -1}}         | updateStrategy.canarySeconds must be from 0 to 86400
                    {updateStrategy: {deadlineSeconds: 5}}        | updateStrategy.deadlineSeconds must be from 10 to 86400
                    {rdma: {mode: sometimes}}                     | supported values: "off", "auto", "required", "on", "false", "true"
                    {rdma: {mode: required, resourceName: infiniband}}| rdma.resourceName must be the name of an extended resource
                    {rdma: {count: 0}}                            | rdma.count must be from 1 to 64
                    {storagePeers: {pod: {labels: {granary.dev/guarded: "no"}}}} | pod.labels must not be under granary.dev/
                    {superPeers: {pod: {labels: {app.kubernetes.io/name: x}}}} | pod.labels must not be under granary.dev/ or app.kubernetes.io/
                    {storagePeers: {pod: {annotations: {granary.dev/leave: "yes"}}}} | pod.annotations must not be under granary.dev/
                    {storagePeers: {pod: {antiAffinity: never}}}       | pod.antiAffinity must be preferred or required
                    {storagePeers: {pod: {priorityClassName: No Way}}} | pod.priorityClassName must be the name of a priority class
                    {storagePeers: {pod: {tolerations: [{kee: a}]}}}   | unknown field "spec.storagePeers.pod.tolerations[0].kee"
                    {monitoring: {interval: soon}}                | monitoring.interval must be a time such as 15s
                    {networkPolicy: {clients: [{pods: {a: b}}]}}  | unknown field "spec.networkPolicy.clients[0].pods"
                    {imagePullPolicy: Sometimes}                  | imagePullPolicy must be Always, IfNotPresent or Never
                    {storagePeers: {replica: 5}}                       | unknown field "spec.storagePeers.replica"
                    {storrage: {replicas: 5}}                     | unknown field "spec.storrage"
                    """)
    void apply_wrongSpec_refusedWithWordsForAPerson(String spec, String message) throws Exception {
        ApiServer.Result result = applySpec(spec);
        assertThat(result.exitCode()).as(result.output()).isNotZero();
        assertThat(result.output()).contains(message);
    }

    @ParameterizedTest
    @CsvSource({"Social", "1st", "a-name-that-is-longer-than-forty-characters-is"})
    void apply_nameThatServicesCannotHave_refused(String name) throws Exception {
        ApiServer.Result result =
                apply("apiVersion: granary.dev/v1alpha1\nkind: Granary\nmetadata: {name: " + name + "}\nspec: {}\n");
        assertThat(result.exitCode()).isNotZero();
    }

    @Test
    void apply_wholeNumbersAsQuantities_taken() throws Exception {
        ApiServer.Result result = applySpec("{storagePeers: {memory: 1073741824, cpu: 2}, superPeers: {share: 1}}");
        assertThat(result.exitCode()).as(result.output()).isZero();
        assertThat(get("{.spec.storagePeers.memory}")).isEqualTo("1073741824");
    }

    @Test
    void apply_everyPodOverride_taken() throws Exception {
        ApiServer.Result result = applySpec("{storagePeers: {pod: {labels: {team: shop}, annotations: {a: b},"
                + " nodeSelector: {disk: fast}, tolerations: [{key: cache, operator: Exists}], affinity: {nodeAffinity:"
                + " {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: kind,"
                + " operator: In, values: [big]}]}]}}}, antiAffinity: required, topologySpreadConstraints: [{maxSkew: 1,"
                + " topologyKey: rack, whenUnsatisfiable: DoNotSchedule}], priorityClassName: high}}}");
        assertThat(result.exitCode()).as(result.output()).isZero();
        assertThat(
                        get(
                                "{.spec.storagePeers.pod.tolerations[0].key} {.spec.storagePeers.pod.affinity.nodeAffinity"
                                        + ".requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].key}"))
                .isEqualTo("cache kind");
    }

    @Test
    void explain_podOverride_pointsToKubernetesOwnWords() throws Exception {
        assertThat(server.kubectl("", "explain", "granary.spec.storagePeers.pod.tolerations.key")
                        .output())
                .contains("kubectl explain pod.spec.tolerations.key");
    }

    @Test
    void update_volumeShrinks_refusedAndGrowthTaken() throws Exception {
        applySpec("{storagePeers: {volume: {size: 10Gi}}}");
        assertThat(applySpec("{storagePeers: {volume: {size: 9Gi}}}").output())
                .contains("storagePeers.volume.size can only grow");
        assertThat(applySpec("{storagePeers: {volume: {size: 20Gi}}}").exitCode()).isZero();
    }

    @Test
    void update_storageClassChangesOrAppears_refused() throws Exception {
        applySpec("{storagePeers: {volume: {storageClassName: fast}}}");
        assertThat(applySpec("{storagePeers: {volume: {storageClassName: slow}}}").output())
                .contains("storagePeers.volume.storageClassName cannot change");
        assertThat(applySpec("{superPeers: {volume: {storageClassName: fast}}}").output())
                .contains("superPeers.volume.storageClassName cannot change");
    }

    @Test
    void scale_subresource_setsReplicasWithinTheRules() throws Exception {
        applySpec("{}");
        ApiServer.Result scaled = server.kubectl("", "-n", namespace, "scale", "gran/social", "--replicas=5");
        assertThat(scaled.exitCode()).as(scaled.output()).isZero();
        assertThat(get("{.spec.storagePeers.replicas}")).isEqualTo("5");
        ApiServer.Result none = server.kubectl("", "-n", namespace, "scale", "gran/social", "--replicas=0");
        assertThat(none.output()).contains("storagePeers.replicas must be from 1 to 32767");
    }

    @Test
    void get_table_hasTheColumnsThatAPersonLooksFor() throws Exception {
        applySpec("{}");
        assertThat(server.kubectl("", "-n", namespace, "get", "gran").output())
                .containsPattern("NAME\\s+READY\\s+PEERS\\s+SUPER-PEERS\\s+CHUNKS\\s+MEMORY USED\\s+AGE");
    }

    @Test
    void explain_field_showsItsDescription() throws Exception {
        assertThat(server.kubectl("", "explain", "granary.spec.storagePeers.memory").output())
                .contains("The one memory number of a storage peer");
    }

    private ApiServer.Result applySpec(String spec) throws IOException, InterruptedException {
        return apply("apiVersion: granary.dev/v1alpha1\nkind: Granary\nmetadata: {name: social}\nspec: " + spec + "\n");
    }

    private ApiServer.Result apply(String yaml) throws IOException, InterruptedException {
        return server.kubectl(yaml, "-n", namespace, "apply", "-f", "-");
    }

    private String get(String jsonPath) throws IOException, InterruptedException {
        return server.kubectl("", "-n", namespace, "get", "gran", "social", "-o", "jsonpath=" + jsonPath)
                .output();
    }
}
