package dev.granary.operator.apiserver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.operator.Golden;
import dev.granary.operator.api.Outline;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

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
                  superPeers: {min: 1, max: 9, storagePeersEach: 20}
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
        assertThat(get("{.spec.rdma.mode}")).isEqualTo("disabled");
    }

    @Test
    void apply_emptySpec_getsDefaults() throws Exception {
        assertThat(applySpec("{}").exitCode()).isZero();
        assertThat(get(
                        "{.spec.storagePeers.replicas} {.spec.storagePeers.memory} {.spec.superPeers.storagePeersEach} {.spec.rdma.mode}"
                                + " {.spec.storagePeers.copies} {.spec.storagePeers.durability}"))
                .isEqualTo("3 2Gi 12 disabled 3 replicated");
    }

    @Test
    void apply_noSpec_getsDefaults() throws Exception {
        ApiServer.Result result = apply("apiVersion: granary.dev/v1alpha1\nkind: Granary\nmetadata: {name: social}\n");
        assertThat(result.exitCode()).as(result.output()).isZero();
        assertThat(get("{.spec.storagePeers.replicas}")).isEqualTo("3");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    {storagePeers: {replicas: 0}}                                | storagePeers.replicas in body should be greater than or equal to 1
                    {storagePeers: {memory: 100Mi}}                              | storagePeers.memory must be at least 512Mi
                    {storagePeers: {memory: 100Ti}}                              | storagePeers.memory must be at most 8Ti
                    {storagePeers: {memory: lots}}                               | storagePeers.memory must be a quantity such as 512Mi or 2Gi
                    {storagePeers: {memory: 1000}}                               | storagePeers.memory must be at least 512Mi
                    {storagePeers: {resources: {requests: {memory: 1Gi}}}}       | memory is no part of resources
                    {superPeers: {resources: {limits: {memory: 1Gi}}}}           | memory is no part of resources
                    {storagePeers: {resources: {requests: {cpu: many}}}}         | storagePeers.resources.requests.cpu
                    {storagePeers: {resources: {claims: [{name: a}]}}}           | unknown field "spec.storagePeers.resources.claims"
                    {storagePeers: {copies: 4}}                                  | storagePeers.copies in body should be less than or equal to 3
                    {storagePeers: {copies: -1}}                                 | storagePeers.copies in body should be greater than or equal to 0
                    {storagePeers: {durability: always}}                         | supported values: "async", "replicated", "synced"
                    {storagePeers: {leaseSeconds: 0}}                            | storagePeers.leaseSeconds in body should be greater than or equal to 1
                    {storagePeers: {volume: {size: none}}}                       | storagePeers.volume.size must be a quantity above 0
                    {storagePeers: {volume: {size: 1Mi}}}                        | storagePeers.volume.size must be at least 1Gi
                    {storagePeers: {autoscaling: {min: 3, max: 2}}}              | autoscaling.min must not be greater than
                    {superPeers: {min: 5, max: 2}}                               | superPeers.min must not be greater than superPeers.max
                    {superPeers: {replicas: 1, min: 3}}                          | superPeers.replicas must be within superPeers.min and superPeers.max
                    {superPeers: {replicas: 5, max: 3}}                          | superPeers.replicas must be within superPeers.min and superPeers.max
                    {superPeers: {max: 10}}                                      | superPeers.max in body should be less than or equal to 9
                    {superPeers: {storagePeersEach: 0}}                          | superPeers.storagePeersEach in body should be greater than or equal to 1
                    {superPeers: {share: 0.08}}                                  | unknown field "spec.superPeers.share"
                    {superPeers: {memory: 64Mi}}                                 | superPeers.memory must be at least 384Mi
                    {updateStrategy: {canarySeconds: -1}}                        | canarySeconds in body should be greater than or equal to 0
                    {updateStrategy: {deadlineSeconds: 5}}                       | deadlineSeconds in body should be greater than or equal to 10
                    {rdma: {mode: sometimes}}                                    | supported values: "disabled", "auto", "required"
                    {rdma: {mode: off}}                                          | rdma.mode
                    {rdma: {mode: required, resourceName: infiniband}}           | rdma.resourceName in body should match
                    {rdma: {mode: required, resourceName: kubernetes.io/a}}      | rdma.resourceName must not be under kubernetes.io/
                    {rdma: {count: 0}}                                           | rdma.count in body should be greater than or equal to 1
                    {storagePeers: {pod: {labels: {granary.dev/guarded: "no"}}}} | pod.labels must not be under granary.dev/
                    {superPeers: {pod: {labels: {app.kubernetes.io/name: x}}}}   | pod.labels must not be under granary.dev/ or app.kubernetes.io/
                    {storagePeers: {pod: {annotations: {granary.dev/leave: "yes"}}}} | pod.annotations must not be under granary.dev/
                    {storagePeers: {pod: {antiAffinity: never}}}                 | supported values: "preferred", "required"
                    {storagePeers: {pod: {priorityClassName: No Way}}}           | pod.priorityClassName in body should match
                    {storagePeers: {pod: {tolerations: [{kee: a}]}}}             | unknown field "spec.storagePeers.pod.tolerations[0].kee"
                    {storagePeers: {pod: {tolerations: [{operator: Bogus}]}}}    | supported values: "Exists", "Equal"
                    {storagePeers: {pod: {topologySpreadConstraints: [{maxSkew: 1}]}}} | topologySpreadConstraints[0].topologyKey
                    {storagePeers: {pod: {env: [{name: GRANARY_NODE_NAME, value: x}]}}} | pod.env must not have names that begin with GRANARY_ or POD_
                    {storagePeers: {pod: {env: [{name: A}, {name: A}]}}}         | Duplicate value
                    {storagePeers: {pod: {volumes: [{name: tls, emptyDir: {}}]}}} | pod.volumes must not be named data
                    {storagePeers: {pod: {volumes: [{emptyDir: {}}]}}}           | storagePeers.pod.volumes[0].name: Required value
                    {storagePeers: {pod: {volumeMounts: [{name: a, mountPath: /etc/granary/x}]}}} | pod.volumeMounts must not be in /etc/granary
                    {storagePeers: {pod: {sidecars: [{name: storage, image: x}]}}} | pod.sidecars must not be named super-peer or storage
                    {superPeers: {pod: {initContainers: [{name: super-peer}]}}}  | pod.initContainers must not be named super-peer or storage
                    {storagePeers: {pod: {terminationGracePeriodSeconds: 5}}}    | terminationGracePeriodSeconds in body should be greater than or equal to 30
                    {storagePeers: {pod: {dnsPolicy: Sometimes}}}                | supported values: "ClusterFirst", "Default", "None"
                    {storagePeers: {pod: {runtimeClassName: No Way}}}            | pod.runtimeClassName in body should match
                    {storagePeers: {pod: {schedulerName: No Way}}}               | pod.schedulerName in body should match
                    {storagePeers: {pod: {securityContext: {runAsRoot: true}}}}  | unknown field "spec.storagePeers.pod.securityContext.runAsRoot"
                    {serviceAccount: {labels: {granary.dev/cluster: x}}}         | serviceAccount.labels must not be under granary.dev/
                    {volumeRetention: {whenDeleted: Recycle}}                    | supported values: "Retain", "Delete"
                    {monitoring: {intervalSeconds: 0}}                           | monitoring.intervalSeconds in body should be greater than or equal to 1
                    {networkPolicy: {clients: [{pods: {a: b}}]}}                 | unknown field "spec.networkPolicy.clients[0].pods"
                    {networkPolicy: {clients: [{}]}}                             | name either an ipBlock, or a podSelector
                    {redis: {redirect: off}}                                     | redis.redirect
                    {redis: {redirect: sometimes}}                               | supported values: "aware", "always", "never"
                    {redis: {maxClients: 0}}                                     | redis.maxClients in body should be greater than or equal to 1
                    {redis: {idleSeconds: 0}}                                    | redis.idleSeconds in body should be greater than or equal to 1
                    {redis: {announce: {host: "{ip}"}}}                          | redis.announce.host must have letters, digits
                    {redis: {announce: {host: "a b{ordinal}"}}}                  | redis.announce.host must have letters, digits
                    {redis: {announce: {host: redis.example.org}}}               | redis.announce.host must have {address}, {hostname}, {pod} or {ordinal}
                    {redis: {announce: {host: "{nodeAddress}"}}}                 | or redis.announce.firstPort must be set
                    {redis: {announce: {port: 6379, firstPort: 31000}}}          | name one of them
                    {redis: {announce: {firstPort: 65535}}}                      | must leave a port up to 65535 for each storage peer
                    {redis: {announce: {firstPort: 65530}}, storagePeers: {autoscaling: {min: 3, max: 9}}} | must leave a port up to 65535
                    {redis: {service: {type: ExternalName}}}                     | supported values: "ClusterIP", "NodePort", "LoadBalancer"
                    {tls: {caDays: 100}}                                         | tls.caDays must be at least four times tls.certificateDays
                    {tls: {certificateDays: 0}}                                  | tls.certificateDays in body should be greater than or equal to 1
                    {tls: {clientAuthentication: sometimes}}                     | supported values: "required", "optional", "none"
                    {tls: {redisClientAuthentication: sometimes}}                | supported values: "required", "optional", "none"
                    {tls: {names: ["a b"]}}                                      | spec.tls.names[0] in body should match
                    {tls: {names: ["-a"]}}                                       | spec.tls.names[0] in body should match
                    {tls: {secrets: {operator: {name: c}}}}                      | spec.tls.secrets.superPeers: Required value
                    {tls: {graceMinutes: -1}}                                    | tls.graceMinutes in body should be greater than or equal to 0
                    {redis: {port: 6380}}                                        | unknown field "spec.redis.port"
                    {imagePullPolicy: Sometimes}                                 | supported values: "Always", "IfNotPresent", "Never"
                    {imagePullSecrets: [{name: ""}]}                             | imagePullSecrets[0].name in body should be at least 1 chars long
                    {storagePeers: {replica: 5}}                                 | unknown field "spec.storagePeers.replica"
                    {storage: {replicas: 5}}                                     | unknown field "spec.storage"
                    """)
    void create_wrongSpec_refusedWithWordsForAPerson(String spec, String message) {
        assertThat(server.refusal(namespace, social(spec))).contains(message);
    }

    /** One of each kind: a rule, a bound, a value of an enum, a field that is unknown. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    {storagePeers: {memory: 100Mi}}      | storagePeers.memory must be at least 512Mi
                    {storagePeers: {replicas: 0}}        | storagePeers.replicas in body should be greater than or equal to 1
                    {storagePeers: {durability: always}} | supported values: "async", "replicated", "synced"
                    {storagePeers: {replica: 5}}         | unknown field "spec.storagePeers.replica"
                    """)
    void apply_wrongSpec_kubectlShowsTheWordsOfTheServer(String spec, String message) throws Exception {
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
        ApiServer.Result result = applySpec("{storagePeers: {memory: 1073741824, resources: {requests: {cpu: 2}}}}");
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
    void apply_everyFieldOfRedis_takenWithDefaultsForTheOthers() throws Exception {
        assertThat(applySpec("{redis: {enabled: true}}").exitCode()).isZero();
        assertThat(get("{.spec.redis.announce.host} {.spec.redis.redirect} {.spec.redis.maxClients}"
                        + " {.spec.redis.service.type}"))
                .as("the host depends on TLS")
                .isEqualTo(" aware 10000 ClusterIP");
        ApiServer.Result result = applySpec("{redis: {enabled: true, announce: {host: \"{nodeAddress}\", firstPort:"
                + " 31000}, redirect: always, maxClients: 500, idleSeconds: 300, service: {type: LoadBalancer,"
                + " annotations: {a: b}}}}");
        assertThat(result.exitCode()).as(result.output()).isZero();
    }

    @Test
    void apply_everyFieldOfTls_takenWithDefaultsForTheOthers() throws Exception {
        assertThat(applySpec("{tls: {enabled: true}}").exitCode()).isZero();
        assertThat(get("{.spec.tls.clientAuthentication} {.spec.tls.redis} {.spec.tls.certificateDays}"
                        + " {.spec.tls.caDays} {.spec.tls.graceMinutes}"))
                .isEqualTo("required true 90 1825 10");
        ApiServer.Result result = applySpec("{tls: {enabled: true, clientAuthentication: optional, redis: false,"
                + " redisClientAuthentication: none, names: [\"*.redis.example.org\", redis-1, 192.0.2.7,"
                + " \"2001:db8::7\"], certificateDays: 7, caDays: 28, graceMinutes: 0}}");
        assertThat(result.exitCode()).as(result.output()).isZero();
        result = applySpec("{tls: {enabled: true, secrets: {superPeers: {name: a}, storagePeers: {name: b}, operator:"
                + " {name: c}}}}");
        assertThat(result.exitCode()).as(result.output()).isZero();
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
        assertThat(applySpec("{storagePeers: {volume: {size: 20Gi}}}").exitCode())
                .isZero();
        assertThat(applySpec("{storagePeers: {memory: 3Gi}}").output())
                .contains("storagePeers.volume.size can only grow");
    }

    @Test
    void update_volumeWithoutASizeGetsASmallOne_refused() throws Exception {
        applySpec("{}");
        assertThat(applySpec("{storagePeers: {volume: {size: 9Gi}}}").output())
                .contains("storagePeers.volume.size can only grow: volumes whose size was left out have 10Gi at least");
        assertThat(applySpec("{storagePeers: {volume: {size: 10Gi}}}").exitCode())
                .isZero();
    }

    @Test
    void update_volumeSizeThatWasADefaultOnce_mayBeLeftOut() throws Exception {
        applySpec("{storagePeers: {volume: {size: 10Gi}}}");
        assertThat(applySpec("{storagePeers: {memory: 3Gi}}").exitCode()).isZero();
        assertThat(get("{.spec.storagePeers.volume}")).isEqualTo("{}");
    }

    @Test
    void update_storageClassChangesOrAppears_refused() throws Exception {
        applySpec("{storagePeers: {volume: {storageClassName: fast}}}");
        assertThat(applySpec("{storagePeers: {volume: {storageClassName: slow}}}")
                        .output())
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
        assertThat(none.output()).contains("storagePeers.replicas in body should be greater than or equal to 1");
    }

    @Test
    void scale_autoscalingChooses_refusedWithWhatToDo() throws Exception {
        assertThat(applySpec("{storagePeers: {autoscaling: {min: 3, max: 9}}}").exitCode())
                .isZero();
        ApiServer.Result scaled = server.kubectl("", "-n", namespace, "scale", "gran/social", "--replicas=5");
        assertThat(scaled.exitCode()).isNotZero();
        assertThat(scaled.output()).contains("does not count while storagePeers.autoscaling chooses the number");
        assertThat(applySpec("{storagePeers: {autoscaling: {min: 4, max: 9}}}").exitCode())
                .isZero();
        assertThat(applySpec("{storagePeers: {replicas: 5}}").exitCode()).isZero();
    }

    @Test
    void explain_enum_showsItsValues() throws Exception {
        assertThat(server.kubectl("", "explain", "granary.spec.storagePeers.durability")
                        .output())
                .containsPattern("ENUM:\\s+async\\s+replicated\\s+synced");
    }

    /** The guide has the outline that kubectl shows. */
    @Test
    void explain_recursive_isTheOutlineOfTheGuide() throws Exception {
        String told =
                server.kubectl("", "explain", "granaries.spec", "--recursive").output();
        List<String> fields = told.substring(told.indexOf("FIELDS:\n") + "FIELDS:\n".length())
                .lines()
                .filter(line -> !line.isBlank())
                .toList();
        assertThat(fields).containsSubsequence(Outline.of("granaries").lines().toList());
    }

    @ParameterizedTest
    @ValueSource(strings = {"small", "production", "rdma", "redis"})
    void apply_exampleOfTheGuide_taken(String example) throws Exception {
        ApiServer.Result result =
                apply(Files.readString(Golden.repository().resolve("docs/guides/resource/" + example + ".yaml")));
        assertThat(result.exitCode()).as(result.output()).isZero();
    }

    @Test
    void get_category_hasAllKinds() throws Exception {
        applySpec("{}");
        assertThat(server.kubectl("", "-n", namespace, "get", "granary-all", "-o", "name")
                        .output())
                .contains("granary.granary.dev/social");
    }

    @Test
    void get_table_hasTheColumnsThatAPersonLooksFor() throws Exception {
        applySpec("{}");
        assertThat(server.kubectl("", "-n", namespace, "get", "gran").output())
                .containsPattern(
                        "NAME\\s+READY\\s+REPLICATED\\s+DEGRADED\\s+PEERS\\s+SUPER-PEERS\\s+CHUNKS\\s+MEMORY USED\\s+AGE");
    }

    @Test
    void explain_field_showsItsDescription() throws Exception {
        assertThat(server.kubectl("", "explain", "granary.spec.storagePeers.memory")
                        .output())
                .contains("The one memory number of a storage peer");
    }

    private ApiServer.Result applySpec(String spec) throws IOException, InterruptedException {
        return apply(social(spec));
    }

    private static String social(String spec) {
        return "apiVersion: granary.dev/v1alpha1\nkind: Granary\nmetadata: {name: social}\nspec: " + spec + "\n";
    }

    private ApiServer.Result apply(String yaml) throws IOException, InterruptedException {
        return server.kubectl(yaml, "-n", namespace, "apply", "-f", "-");
    }

    private String get(String jsonPath) throws IOException, InterruptedException {
        return server.kubectl("", "-n", namespace, "get", "gran", "social", "-o", "jsonpath=" + jsonPath)
                .output();
    }
}
