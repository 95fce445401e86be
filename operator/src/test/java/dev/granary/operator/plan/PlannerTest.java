package dev.granary.operator.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.operator.Samples;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PlannerTest {
    @Test
    void plan_specMissing_isThatOfEmptySpec() {
        assertThat(Samples.plan("null")).isEqualTo(Samples.plan("{}"));
    }

    @Test
    void plan_emptySpec_hasTheDefaultsOfTheCrd() {
        ClusterPlan plan = Samples.plan("{}");
        assertThat(plan.image()).isEqualTo("example.org/granary:1");
        assertThat(plan.superPeers().replicas()).isEqualTo(1);
        assertThat(plan.storage().replicas()).isEqualTo(3);
        assertThat(plan.storage().memory().limitBytes()).isEqualTo(2L << 30);
        assertThat(plan.storage().volumeSize()).isEqualTo("10Gi");
        assertThat(plan.copies()).isEqualTo(new ClusterPlan.Copies(3, "replicated", 1));
        assertThat(plan.rdma()).isNull();
        assertThat(plan.bootstrap()).isTrue();
    }

    @Test
    void plan_rdmaDisabled_asksForNoDevice() {
        assertThat(Samples.plan("{rdma: {mode: disabled}}").rdma()).isNull();
    }

    @Test
    void plan_rdmaRequired_asksForTheDefaultDevice() {
        ClusterPlan.Rdma rdma = Samples.plan("{rdma: {mode: required}}").rdma();
        assertThat(rdma).isNotNull();
        assertThat(rdma.resourceName()).isEqualTo("rdma/hca_shared_devices_a");
    }

    @ParameterizedTest
    @CsvSource(nullValues = "unknown", textBlock = """
            # available, granted, missing, asks
            unknown, false, false, false
            unknown, true,  true,  true
            0,       false, false, false
            5,       false, false, false
            6,       false, false, true
            6,       true,  false, true
            0,       true,  false, true
            0,       true,  true,  false
            5,       true,  true,  false
            6,       true,  true,  true
            """)
    void plan_rdmaAuto_asksForDevicesWhenThereAreEnoughAndStopsOnlyWhenAPodWaits(
            @Nullable Long available, boolean granted, boolean missing, boolean asks) {
        Existing existing = new Existing(
                Existing.Role.NOTHING,
                Existing.Role.NOTHING,
                null,
                new Existing.Devices(available, granted, missing),
                null);
        ClusterPlan.Rdma rdma =
                Samples.plan("{rdma: {mode: auto, count: 2}}", existing).rdma();
        assertThat(rdma).isNotNull();
        assertThat(rdma.granted()).isEqualTo(asks);
        assertThat(rdma.required()).isFalse();
    }

    @Test
    void plan_rdmaRequired_asksForDevicesWhateverTheNodesHave() {
        ClusterPlan.Rdma rdma = Samples.plan("{rdma: {mode: required}}").rdma();
        assertThat(rdma).isNotNull();
        assertThat(rdma.granted()).isTrue();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            # storage peers, spec, super-peers
            1    | {}                                           | 1
            2    | {}                                           | 1
            3    | {}                                           | 3
            36   | {}                                           | 3
            37   | {}                                           | 4
            1000 | {}                                           | 9
            3    | {min: 1}                                     | 1
            1    | {min: 3}                                     | 3
            3    | {max: 2}                                     | 2
            100  | {storagePeersEach: 50, min: 1}               | 2
            101  | {storagePeersEach: 50, min: 1}               | 3
            3    | {replicas: 5}                                | 5
            100  | {replicas: 1}                                | 1
            """)
    void ringSize_asked_isTheNamedNumberOrOneForSoManyWithinBounds(int storagePeers, String superPeers, int expected) {
        ClusterPlan plan =
                Samples.plan("{storagePeers: {replicas: " + storagePeers + "}, superPeers: " + superPeers + "}");
        assertThat(plan.superPeers().wantedReplicas()).isEqualTo(expected);
    }

    @Test
    void plan_autoscaled_ringFollowsTheNumberOfTheAutoscaler() {
        Existing existing =
                new Existing(Existing.Role.NOTHING, Existing.Role.NOTHING, 40, Existing.Devices.UNKNOWN, null);
        ClusterPlan plan = Samples.plan("{storagePeers: {autoscaling: {min: 1, max: 60}}}", existing);
        assertThat(plan.superPeers().wantedReplicas()).isEqualTo(4);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {}                                               | {cpu=1}                         | {}
            {requests: {cpu: 100m}}                          | {cpu=100m}                      | {}
            {limits: {cpu: 2}}                               | {cpu=2}                         | {cpu=2}
            {requests: {cpu: 1500m}, limits: {cpu: 2}}       | {cpu=1500m}                     | {cpu=2}
            {limits: {ephemeral-storage: 1Gi}}               | {cpu=1}                         | {ephemeral-storage=1Gi}
            {requests: {hugepages-2Mi: 1Gi}}                 | {cpu=1, hugepages-2Mi=1Gi}      | {}
            """)
    void plan_resources_haveTheLimitOrTheDefaultAsRequestForCpu(String resources, String requests, String limits) {
        ComputePlan compute = Samples.plan("{storagePeers: {resources: " + resources + "}}")
                .storage()
                .compute();
        assertThat(compute.requests()).hasToString(requests);
        assertThat(compute.limits()).hasToString(limits);
    }

    @Test
    void plan_volumeRetention_isRetainUnlessAskedFor() {
        assertThat(Samples.plan("{}").retention()).isEqualTo(new ClusterPlan.Retention("Retain", "Retain"));
        assertThat(Samples.plan("{volumeRetention: {whenDeleted: Delete}}").retention())
                .isEqualTo(new ClusterPlan.Retention("Delete", "Retain"));
    }

    @Test
    void plan_ringWantsToGrow_keepsItsSizeAndSaysWhatIsWanted() {
        ClusterPlan plan =
                Samples.plan("{storagePeers: {replicas: 40}}", Samples.existing(1, 3, "1Gi", "10Gi", "7d9f"));
        assertThat(plan.superPeers().replicas()).isEqualTo(1);
        assertThat(plan.superPeers().wantedReplicas()).isEqualTo(4);
    }

    @Test
    void plan_fewerPeersThanExist_keepsThem() {
        ClusterPlan plan = Samples.plan("{storagePeers: {replicas: 3}}", Samples.existing(1, 5, "1Gi", "10Gi", "7d9f"));
        assertThat(plan.storage().replicas()).isEqualTo(5);
        assertThat(plan.storage().wantedReplicas()).isEqualTo(3);
    }

    @Test
    void plan_volumeGrows_templateKeepsItsSize() {
        ClusterPlan plan =
                Samples.plan("{storagePeers: {volume: {size: 20Gi}}}", Samples.existing(1, 3, "1Gi", "10Gi", "7d9f"));
        assertThat(plan.storage().volumeSize()).isEqualTo("20Gi");
        assertThat(plan.storage().volumeTemplateSize()).isEqualTo("10Gi");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {memory: 2Gi}                          | 10Gi
            {memory: 2Gi, copies: 0}               | 10Gi
            {memory: 64Gi}                         | 343Gi
            {memory: 64Gi, replicas: 1}            | 343Gi
            {memory: 64Gi, copies: 1}              | 156Gi
            {memory: 64Gi, copies: 0}              | 63Gi
            {memory: 64Gi, volume: {size: 20Gi}}   | 20Gi
            """)
    void plan_volumeOfNoSize_holdsWhatCopiesAndAHibernationTake(String storagePeers, String size) {
        ClusterPlan plan = Samples.plan("{storagePeers: " + storagePeers + "}");
        assertThat(plan.storage().volumeSize()).isEqualTo(size);
        assertThat(plan.storage().volumeTemplateSize()).isEqualTo(size);
    }

    @Test
    void plan_volumesExistAndNoSizeIsAsked_stayAsTheyAre() {
        ClusterPlan plan =
                Samples.plan("{storagePeers: {memory: 64Gi}}", Samples.existing(1, 3, "1Gi", "10Gi", "7d9f"));
        assertThat(plan.storage().volumeSize()).isEqualTo("10Gi");
        assertThat(plan.storage().volumeTemplateSize()).isEqualTo("10Gi");
    }

    @Test
    void plan_operatorHasAnotherImage_clusterKeepsItsOwnUntilItNamesOne() {
        Existing existing = new Existing(
                new Existing.Role(
                        1, "1Gi", new TemplateHistory(new TemplateHistory.Rendered("x", "old:1", "{}"), null, null)),
                Existing.Role.NOTHING,
                null,
                Existing.Devices.UNKNOWN,
                "id");
        assertThat(Samples.plan("{}", existing).image()).isEqualTo("old:1");
        assertThat(Samples.plan("{}", existing).offeredImage()).isEqualTo("example.org/granary:1");
        assertThat(Samples.plan("{image: \"new:2\"}", existing).image()).isEqualTo("new:2");
        assertThat(Samples.plan("{image: \"new:2\"}", existing).offeredImage()).isNull();
        assertThat(Samples.plan("{}").offeredImage()).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{storagePeers: {memory: 511Mi}}",
                "{storagePeers: {memory: 9Ti}}",
                "{storagePeers: {pod: {volumes: [{name: a, emptyDir: 5}]}}}",
                "{superPeers: {pod: {sidecars: [{name: a, image: b, ports: none}]}}}",
                "{superPeers: {memory: 100Mi}}",
                "{storagePeers: {copies: 4}}",
                "{storagePeers: {durability: maybe}}",
                "{storagePeers: {leaseSeconds: 61}}",
                "{storagePeers: {memory: lots}}",
                "{superPeers: {min: 3, max: 2}}",
                "{superPeers: {replicas: 10}}",
                "{superPeers: {storagePeersEach: 0}}",
                "{storagePeers: {resources: {limits: {memory: 3Gi}}}}",
                "{volumeRetention: {whenScaled: Recycle}}",
                "{logging: {level: loud}}",
                "{logging: {format: xml}}"
            })
    void plan_impossible_refused(String spec) {
        assertThatThrownBy(() -> Samples.plan(spec)).isInstanceOf(InvalidSpecException.class);
    }
}
