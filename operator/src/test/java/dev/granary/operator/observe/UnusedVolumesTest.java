package dev.granary.operator.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.operator.Samples;
import dev.granary.operator.plan.ClusterPlan;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class UnusedVolumesTest {
    private static final ClusterPlan PLAN = Samples.plan("{}", Samples.existing(1, 3, "1Gi", "10Gi", "id"));

    private static PersistentVolumeClaim claim(String name) {
        return new PersistentVolumeClaimBuilder()
                .withNewMetadata()
                .withName(name)
                .endMetadata()
                .withNewStatus()
                .addToCapacity("storage", new Quantity("12Gi"))
                .endStatus()
                .build();
    }

    private static PodsView pods(String... names) {
        List<Pod> pods = Stream.of(names)
                .map(name -> new PodBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .withUid(name)
                        .endMetadata()
                        .withNewSpec()
                        .endSpec()
                        .withNewStatus()
                        .endStatus()
                        .build())
                .toList();
        return PodsView.of(pods, null, Set.of());
    }

    @Test
    void of_volumesOfPodsThatAreNotToRun_areNamedByOrdinal() {
        List<PersistentVolumeClaim> claims = Stream.of(
                        "data-social-storage-10",
                        "data-social-storage-2",
                        "data-social-storage-3",
                        "data-social-storage-4",
                        "data-social-super-peer-0",
                        "data-social-super-peer-1",
                        "data-social-two-storage-9",
                        "backups")
                .map(UnusedVolumesTest::claim)
                .toList();
        assertThat(UnusedVolumes.of(PLAN, claims, pods(), pods("social-storage-4"))
                        .volumes())
                .as("the pod of ordinal 4 has not gone yet")
                .containsExactly(
                        new UnusedVolumes.Volume("data-social-storage-3", "12Gi"),
                        new UnusedVolumes.Volume("data-social-storage-10", "12Gi"),
                        new UnusedVolumes.Volume("data-social-super-peer-1", "12Gi"));
    }

    @Test
    void of_clusterSleepsOrVolumeGoes_isNotNamed() {
        PersistentVolumeClaim goes = claim("data-social-storage-5");
        goes.getMetadata().setDeletionTimestamp("2026-01-01T00:00:00Z");
        ClusterPlan asleep =
                PLAN.with(PLAN.superPeers().sleeping(true), PLAN.storage().sleeping(true));
        assertThat(UnusedVolumes.of(asleep, List.of(claim("data-social-storage-2"), goes), pods(), pods()))
                .isEqualTo(UnusedVolumes.NONE);
    }
}
