package dev.granary.operator.status;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.operator.Samples;
import dev.granary.operator.api.GranaryStatus;
import dev.granary.operator.observe.ClusterObserver.Answer;
import dev.granary.operator.observe.ClusterView;
import dev.granary.operator.observe.ClusterView.StoragePeer;
import dev.granary.operator.observe.PodsView;
import dev.granary.operator.plan.ClusterPlan;
import dev.granary.operator.steer.Stop;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The conditions of {@link MemoryConditions} and {@link DiskConditions}: how they begin and end, and their events. */
class PressureConditionsTest {
    private static final long GIB = 1L << 30;
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final String SPEC = "{storagePeers: {memory: 2Gi, volume: {size: 10Gi}}}";

    private @Nullable GranaryStatus status;

    private static StoragePeer peer(int ordinal, long used, long logs) {
        return new StoragePeer(
                "0x800" + ordinal, "social-storage-" + ordinal, "live", 1, 1, 1, used, 1000, 1, "none", 0, 2, 1L, logs);
    }

    /** Looks at a cluster of three storage peers, and returns the reasons of the events. */
    private List<String> look(String spec, List<StoragePeer> peers, Stop... stops) {
        ClusterPlan plan = Samples.plan(spec, Samples.existing(1, 3, "1Gi", "10Gi", "id"));
        long used = peers.stream().mapToLong(StoragePeer::usedBytes).sum();
        long capacity = peers.stream().mapToLong(StoragePeer::capacityBytes).sum();
        ClusterView view = new ClusterView(
                "id",
                Samples.ring(true),
                peers,
                new ClusterView.Totals(1, 3, peers.size(), 0, 0, 0, 0, used, capacity),
                Samples.zonesInSync());
        Observation seen = new Observation(
                PodsView.NONE, PodsView.NONE, new Answer.Seen(view), List.of(stops), List.of(), null, null, null);
        GranaryStatus before = status;
        GranaryStatus after = StatusBuilder.of(plan, seen, before, 1, NOW);
        status = after;
        return Happenings.between(before, after).stream()
                .filter(Happening::warning)
                .map(Happening::reason)
                .filter(reason -> !reason.equals("NotReady"))
                .toList();
    }

    private List<String> filled(long usedOfEach, Stop... stops) {
        return look(
                SPEC,
                IntStream.range(0, 3).mapToObj(i -> peer(i, usedOfEach, 0)).toList(),
                stops);
    }

    private List<String> logs(long bytes) {
        return look(SPEC, List.of(peer(0, 0, bytes), peer(1, 0, 0), peer(2, 0, 0)));
    }

    private String of(String type) {
        var condition = StatusBuilder.find(status, type);
        return condition == null ? "missing" : condition.getStatus() + "/" + condition.getReason();
    }

    private String message(String type) {
        return Objects.requireNonNull(StatusBuilder.find(status, type)).getMessage();
    }

    @Test
    void memoryPressure_clusterNearItsBound_beginsOnceAndEndsWellBelow() {
        assertThat(filled(840)).doesNotContain("ClusterNearlyFull");
        assertThat(filled(860)).contains("ClusterNearlyFull");
        assertThat(filled(840)).isEmpty();
        assertThat(of("MemoryPressure")).isEqualTo("True/ClusterNearlyFull");
        assertThat(filled(860)).as("no event again").isEmpty();
        filled(800);
        assertThat(of("MemoryPressure")).isEqualTo("False/Enough");
    }

    @Test
    void memoryPressure_peerNearItsBound_beginsOnceAndEndsWellBelow() {
        look(SPEC, List.of(peer(0, 930, 0), peer(1, 0, 0), peer(2, 0, 0)));
        assertThat(of("MemoryPressure")).isEqualTo("True/PeersNearlyFull");
        look(SPEC, List.of(peer(0, 880, 0), peer(1, 0, 0), peer(2, 0, 0)));
        assertThat(of("MemoryPressure")).isEqualTo("True/PeersNearlyFull");
        look(SPEC, List.of(peer(0, 870, 0), peer(1, 0, 0), peer(2, 0, 0)));
        assertThat(of("MemoryPressure")).isEqualTo("False/Enough");
    }

    @Test
    void headroom_othersWouldBeTooFull_isSaidWithNumbersBeforeAPeerIsFull() {
        filled(500);
        assertThat(of("Headroom")).isEqualTo("True/CanLoseOne");
        assertThat(message("Headroom")).contains("75 % full");
        assertThat(filled(640)).containsExactly("NoHeadroom");
        assertThat(of("Headroom")).isEqualTo("False/NoHeadroom");
        assertThat(message("Headroom"))
                .contains("the others would have 2.0Ki for 1.9Ki")
                .contains("(96 %)");
        assertThat(of("MemoryPressure")).isEqualTo("False/Enough");
    }

    @Test
    void headroom_nearItsBound_beginsOnceAndEndsWellBelow() {
        filled(640);
        assertThat(filled(620)).isEmpty();
        assertThat(of("Headroom")).isEqualTo("False/NoHeadroom");
        assertThat(filled(640)).isEmpty();
        filled(600);
        assertThat(of("Headroom")).isEqualTo("True/CanLoseOne");
        filled(620);
        assertThat(of("Headroom")).isEqualTo("True/CanLoseOne");
    }

    @Test
    void headroom_aPeerIsGoneForAnUpdate_staysAsItWas() {
        filled(500);
        Stop update = new Stop("social-storage-2", "0x8002", Stop.Reason.UPDATE, Stop.Phase.RELEASED, "");
        List<StoragePeer> two = List.of(peer(0, 750, 0), peer(1, 750, 0));
        assertThat(look(SPEC, two, update)).isEmpty();
        assertThat(of("Headroom")).isEqualTo("True/CanLoseOne");
        assertThat(look(SPEC, two)).as("it does not come back").contains("NoHeadroom");
    }

    @Test
    void headroom_onlyWhereThereAreCopies() {
        look("{storagePeers: {copies: 0}}", List.of(peer(0, 999, 0), peer(1, 999, 0), peer(2, 999, 0)));
        assertThat(of("Headroom")).isEqualTo("missing");
        look("{storagePeers: {replicas: 1}}", List.of(peer(0, 999, 0)));
        assertThat(of("Headroom")).isEqualTo("missing");
        look(SPEC, List.of(peer(0, 10, 0)));
        assertThat(of("Headroom")).isEqualTo("Unknown/StoragePeersMissing");
    }

    @Test
    void diskPressure_logsNearTheSizeOfTheVolume_beginsOnceAndEndsWellBelow() {
        assertThat(logs(8 * GIB)).doesNotContain("DisksNearlyFull");
        assertThat(of("DiskPressure")).isEqualTo("False/Enough");
        assertThat(logs(9 * GIB)).containsExactly("DisksNearlyFull");
        assertThat(message("DiskPressure")).contains("social-storage-0 90 %").doesNotContain("storage-1");
        assertThat(logs(8 * GIB + GIB / 4)).isEmpty();
        assertThat(of("DiskPressure")).isEqualTo("True/DisksNearlyFull");
        logs(8 * GIB);
        assertThat(of("DiskPressure")).isEqualTo("False/Enough");
    }

    @Test
    void diskPressure_volumeTooSmallForItsCopies_saysWhichSizeItNeeds() {
        List<StoragePeer> peers = List.of(peer(0, 0, 0), peer(1, 0, 0), peer(2, 0, 0));
        assertThat(look("{storagePeers: {memory: 64Gi, volume: {size: 10Gi}}}", peers))
                .contains("VolumesTooSmall");
        assertThat(of("DiskPressure")).isEqualTo("True/VolumesTooSmall");
        assertThat(message("DiskPressure"))
                .contains("has 10Gi, but 2 copies of 62.")
                .contains("take about 187Gi");
        look("{storagePeers: {memory: 64Gi, volume: {size: 200Gi}}}", peers);
        assertThat(of("DiskPressure")).isEqualTo("False/Enough");
        look("{storagePeers: {memory: 64Gi, volume: {size: 10Gi}, copies: 0}}", peers);
        assertThat(of("DiskPressure")).isEqualTo("False/Enough");
        look("{storagePeers: {memory: 64Gi, volume: {size: " + sizeByDefault() + "}}}", peers);
        assertThat(of("DiskPressure")).as("the size that a new cluster gets").isEqualTo("False/Enough");
        look("{}", peers);
        assertThat(of("DiskPressure")).as("the defaults fit").isEqualTo("False/Enough");
    }

    private static String sizeByDefault() {
        return Samples.plan("{storagePeers: {memory: 64Gi}}").storage().volumeSize();
    }

    @Test
    void messages_countsChangeWithinAMinute_stay() {
        filled(400);
        String headroom = message("Headroom");
        filled(450);
        assertThat(message("Headroom")).isEqualTo(headroom);
        logs(9 * GIB);
        String volumes = message("DiskPressure");
        logs(9 * GIB + GIB / 4);
        assertThat(message("DiskPressure")).isEqualTo(volumes);
    }
}
