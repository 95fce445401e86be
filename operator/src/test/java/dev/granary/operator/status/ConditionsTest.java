package dev.granary.operator.status;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.operator.Samples;
import dev.granary.operator.api.GranaryStatus.HibernationStatus;
import dev.granary.operator.observe.ClusterObserver.Answer;
import dev.granary.operator.observe.ClusterView;
import dev.granary.operator.observe.PodView;
import dev.granary.operator.observe.PodsView;
import dev.granary.operator.plan.ClusterPlan;
import dev.granary.operator.plan.Existing;
import dev.granary.operator.plan.TemplateHistory;
import dev.granary.operator.steer.Stop;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The conditions at their bounds, and which of several reasons comes first. */
class ConditionsTest {

    private static final long CAPACITY = 1000;
    private static final ClusterPlan FORMED =
            Samples.plan("{superPeers: {min: 1}}", Samples.existing(1, 3, "1Gi", "10Gi", "id"));

    private static PodsView pods(int count, int ready, List<String> problems) {
        List<PodView> views = IntStream.range(0, count)
                .mapToObj(i -> new PodView(
                        "p-" + i, i, "u" + i, i < ready, null, null, false, false, null, true, null, true, null))
                .toList();
        return new PodsView(views, List.of(), problems, false, true);
    }

    private static ClusterView.StoragePeer peer(String name, String state, long used, long capacity, String drain) {
        return new ClusterView.StoragePeer("0x8000", name, state, 1, 1, 1, used, capacity, 1, drain, 0, 0, 1L, 0);
    }

    private static ClusterView.StoragePeer peer(int ordinal, long used) {
        return peer("social-storage-" + ordinal, "live", used, CAPACITY, "none");
    }

    private static Answer cluster(ClusterView.StoragePeer... peers) {
        long used = 0;
        long capacity = 0;
        for (ClusterView.StoragePeer peer : peers) {
            used += peer.usedBytes();
            capacity += peer.capacityBytes();
        }
        return new Answer.Seen(new ClusterView(
                "id",
                Samples.ring(true),
                List.of(peers),
                new ClusterView.Totals(1, peers.length, peers.length, 0, 0, 0, 0, used, capacity),
                Samples.zonesInSync()));
    }

    private static List<Verdict> all(ClusterPlan plan, Answer answer, Stop... stops) {
        return new Conditions(
                        plan,
                        new Observation(
                                pods(1, 1, List.of()),
                                pods(3, 3, List.of()),
                                answer,
                                List.of(stops),
                                List.of(),
                                null,
                                null,
                                null),
                        null)
                .all();
    }

    private static String of(String type, List<Verdict> verdicts) {
        return verdicts.stream()
                .filter(verdict -> verdict.type().equals(type))
                .map(verdict -> verdict.status() + "/" + verdict.reason())
                .reduce((one, other) -> one + " and " + other)
                .orElse("missing");
    }

    private static String message(String type, List<Verdict> verdicts) {
        return verdicts.stream()
                .filter(verdict -> verdict.type().equals(type))
                .map(Verdict::message)
                .findFirst()
                .orElseThrow();
    }

    @ParameterizedTest
    @CsvSource({
        "850, 850, 850, False/Enough",
        "850, 850, 851, True/ClusterNearlyFull",
        "920, 0, 0, False/Enough",
        "921, 0, 0, True/PeersNearlyFull",
        "1000, 1000, 1000, True/ClusterNearlyFull",
        "0, 0, 0, False/Enough"
    })
    void memoryPressure_atTheBounds_clusterBeforePeers(long one, long two, long three, String expected) {
        List<Verdict> verdicts = all(FORMED, cluster(peer(0, one), peer(1, two), peer(2, three)));
        assertThat(of("MemoryPressure", verdicts)).isEqualTo(expected);
    }

    @Test
    void updateAvailable_operatorHasAnotherImageThanTheClusterKeeps_namesBoth() {
        Existing old = new Existing(
                new Existing.Role(
                        1, "1Gi", new TemplateHistory(new TemplateHistory.Rendered("x", "old:1", "{}"), null, null)),
                new Existing.Role(3, "10Gi", TemplateHistory.NONE),
                null,
                Existing.Devices.UNKNOWN,
                "id");
        List<Verdict> verdicts =
                all(Samples.plan("{superPeers: {min: 1}}", old), cluster(peer(0, 1), peer(1, 1), peer(2, 1)));
        assertThat(of("UpdateAvailable", verdicts)).isEqualTo("True/OperatorHasAnotherImage");
        assertThat(message("UpdateAvailable", verdicts)).contains("old:1", "example.org/granary:1");
        assertThat(of("UpdateAvailable", all(FORMED, cluster(peer(0, 1))))).isEqualTo("missing");
    }

    private static ClusterView.StoragePeer without(String name, long zones) {
        return new ClusterView.StoragePeer("0x4000", name, "expired", 1, 1, 1, 0, CAPACITY, 1, "none", 0, 0, zones, 0);
    }

    @Test
    void degraded_peerWithoutALeaseWasReplacedAndItsPodIsBackWithANewDisk_isNot() {
        ClusterView.StoragePeer[] live = {peer(0, 10), peer(1, 10), peer(2, 10)};
        assertThat(of("Degraded", all(FORMED, cluster(live[0], live[1], live[2], without("social-storage-1", 0)))))
                .isEqualTo("False/AsExpected");
        assertThat(of("Degraded", all(FORMED, cluster(live[0], live[1], live[2], without("social-storage-7", 0)))))
                .as("its pod is not wanted any more")
                .isEqualTo("False/AsExpected");
    }

    @Test
    void degraded_peerWithoutALeaseIsStillMissed_saysSo() {
        ClusterView.StoragePeer[] live = {peer(0, 10), peer(1, 10), peer(2, 10)};
        assertThat(of("Degraded", all(FORMED, cluster(live[0], live[1], live[2], without("social-storage-1", 3)))))
                .as("it owns zones")
                .isEqualTo("True/StoragePeersWithoutLease");
        assertThat(of("Degraded", all(FORMED, cluster(live[0], live[2], without("social-storage-1", 0)))))
                .as("its pod is not back")
                .isEqualTo("True/StoragePeersWithoutLease");
    }

    @Test
    void memoryPressure_fullPeers_areNamedUnlessTheyHaveNoLease() {
        List<Verdict> verdicts = all(
                FORMED, cluster(peer(0, 999), peer("social-storage-1", "expired", 999, CAPACITY, "none"), peer(2, 0)));
        assertThat(message("MemoryPressure", verdicts))
                .contains("social-storage-0 100 %")
                .doesNotContain("storage-1");
    }

    @Test
    void memoryPressure_noMemoryAtAll_isEnough() {
        assertThat(of("MemoryPressure", all(FORMED, cluster()))).isEqualTo("False/Enough");
        assertThat(of("MemoryPressure", all(FORMED, cluster(peer("social-storage-0", "live", 5, 0, "none")))))
                .isEqualTo("False/Enough");
    }

    @ParameterizedTest
    @CsvSource({"0, 250, True/Even", "0, 251, False/Uneven", "750, 1000, True/Even", "1000, 0, False/Uneven"})
    void balanced_atTheBound_byTheFullestAndTheEmptiest(long one, long other, String expected) {
        List<Verdict> verdicts = all(FORMED, cluster(peer(0, one), peer(1, other), peer(2, one)));
        assertThat(of("Balanced", verdicts)).isEqualTo(expected);
    }

    @Test
    void balanced_peersThatLeaveOrHaveNoLease_doNotCount() {
        List<Verdict> verdicts = all(
                FORMED,
                cluster(
                        peer(0, 900),
                        peer("social-storage-1", "live", 0, CAPACITY, "running"),
                        peer("social-storage-2", "expired", 0, CAPACITY, "none")));
        assertThat(of("Balanced", verdicts)).isEqualTo("True/Even");
        assertThat(of("Balanced", all(FORMED, cluster()))).isEqualTo("True/Even");
    }

    @Test
    void ready_peersBeyondTheTarget_areNotMissedAndDoNotCount() {
        List<ClusterView.StoragePeer> peers = new ArrayList<>(List.of(peer(0, 0), peer(1, 0), peer(2, 0)));
        peers.add(peer("social-storage-3", "expired", 0, CAPACITY, "none"));
        assertThat(of("Ready", all(FORMED, cluster(peers.toArray(ClusterView.StoragePeer[]::new)))))
                .isEqualTo("True/AllPeersLive");
        peers.set(3, peer(3, 0));
        peers.set(1, peer("social-storage-1", "expired", 0, CAPACITY, "none"));
        List<Verdict> verdicts = all(FORMED, cluster(peers.toArray(ClusterView.StoragePeer[]::new)));
        assertThat(of("Ready", verdicts)).isEqualTo("False/StoragePeersMissing");
        assertThat(message("Ready", verdicts)).startsWith("2 of 3");
    }

    @Test
    void ready_peerWithoutANumber_countsAsTheFirst() {
        assertThat(of(
                        "Ready",
                        all(FORMED, cluster(peer("local", "live", 0, CAPACITY, "none"), peer(1, 0), peer(2, 0)))))
                .isEqualTo("True/AllPeersLive");
    }

    @Test
    void degraded_peerThatEverythingHasLeft_isNotMissed() {
        List<Verdict> verdicts =
                all(FORMED, cluster(peer(0, 0), peer(1, 0), peer("social-storage-2", "expired", 0, CAPACITY, "done")));
        assertThat(of("Degraded", verdicts)).isEqualTo("False/AsExpected");
        verdicts = all(
                FORMED,
                cluster(
                        peer("social-storage-9", "expired", 0, CAPACITY, "none"),
                        peer("social-storage-10", "expired", 0, CAPACITY, "none")));
        assertThat(message("Degraded", verdicts)).isEqualTo("without a lease: social-storage-10, social-storage-9");
    }

    @Test
    void degraded_podsInTrouble_comeBeforeWhatTheClusterSays() {
        Observation seen = new Observation(
                pods(1, 1, List.of("s-0: CrashLoopBackOff")),
                pods(3, 2, List.of("p-1: ImagePullBackOff")),
                new Answer.Unreachable("timed out"),
                List.of(),
                List.of(),
                null,
                null,
                null);
        List<Verdict> verdicts = new Conditions(FORMED, seen, null).all();
        assertThat(of("Degraded", verdicts)).isEqualTo("True/PodsInTrouble");
        assertThat(message("Degraded", verdicts)).isEqualTo("s-0: CrashLoopBackOff; p-1: ImagePullBackOff");
        assertThat(message("Ready", verdicts)).contains("timed out").contains("(s-0: CrashLoopBackOff;");
        assertThat(of("Balanced", verdicts)).isEqualTo("Unknown/SuperPeersUnreachable");
        assertThat(of("MemoryPressure", verdicts)).isEqualTo("Unknown/SuperPeersUnreachable");
        assertThat(of("Progressing", verdicts)).isEqualTo("True/StartingStoragePeers");
    }

    @Test
    void ready_clusterThatHasNotFormed_waitsAndIsNotDegraded() {
        List<Verdict> verdicts = all(Samples.plan("{superPeers: {min: 1}}"), new Answer.Unreachable("refused"));
        assertThat(of("Ready", verdicts)).isEqualTo("False/WaitingForSuperPeers");
        assertThat(of("Degraded", verdicts)).isEqualTo("False/NotYetFormed");
    }

    @Test
    void progressing_severalStops_byTheirReasonsAndScaleInFirst() {
        Stop update = new Stop("p-1", "0x8000", Stop.Reason.UPDATE, Stop.Phase.WAITING, "p-2 is first");
        Stop scale = new Stop("p-2", "0x4000", Stop.Reason.SCALE_IN, Stop.Phase.DRAINING, "5 left");
        Stop cordoned = new Stop("p-0", "0xc000", Stop.Reason.NODE_CORDONED, Stop.Phase.DRAINING, "6 left");
        Answer answer = cluster(peer(0, 0), peer(1, 0), peer(2, 0));
        assertThat(of("Progressing", all(FORMED, answer, update, scale))).isEqualTo("True/ScalingIn");
        assertThat(of("Progressing", all(FORMED, answer, cordoned, update))).isEqualTo("True/Updating");
        assertThat(of("Progressing", all(FORMED, answer, cordoned))).isEqualTo("True/HandingOver");
        assertThat(message("Progressing", all(FORMED, answer, update, scale)))
                .isEqualTo("ScaleIn: p-2 (Draining: 5 left); Update: p-1 (Waiting: p-2 is first)");
    }

    @Test
    void progressing_stopThatIsBlocked_comesFirst() {
        Stop scale = new Stop("p-2", "0x4000", Stop.Reason.SCALE_IN, Stop.Phase.DRAINING, "5 left");
        Stop blocked = new Stop("p-1", "0x8000", Stop.Reason.UPDATE, Stop.Phase.BLOCKED, "too little room");
        List<Verdict> verdicts = all(FORMED, cluster(peer(0, 0), peer(1, 0), peer(2, 0)), scale, blocked);
        assertThat(of("Progressing", verdicts)).isEqualTo("False/StopBlocked");
        assertThat(message("Progressing", verdicts)).isEqualTo("p-1 cannot go yet: too little room");
    }

    @Test
    void all_hibernating_nothingElseIsSaid() {
        assertThat(hibernating("Asleep"))
                .containsExactly(
                        "Ready=False/Asleep",
                        "Progressing=False/Asleep",
                        "Degraded=False/Hibernating",
                        "Balanced=Unknown/Hibernating",
                        "Replicated=Unknown/Hibernating",
                        "MemoryPressure=Unknown/Hibernating",
                        "Headroom=Unknown/Hibernating",
                        "DiskPressure=Unknown/Hibernating",
                        "Reconciling=False/Applied",
                        "Stalled=False/Applied");
        assertThat(hibernating("Parking")).contains("Ready=False/Hibernating", "Progressing=True/Hibernating");
    }

    private static List<String> hibernating(String phase) {
        Observation seen = new Observation(
                PodsView.NONE,
                PodsView.NONE,
                new Answer.Unreachable("none"),
                List.of(),
                List.of(),
                null,
                new HibernationStatus(phase, "text", "2026-01-01T00:00:00Z"),
                true);
        return new Conditions(FORMED, seen, null)
                .all().stream()
                        .map(verdict -> verdict.type() + "=" + verdict.status() + "/" + verdict.reason())
                        .toList();
    }

    @Test
    void all_podMonitorAsked_isSaidWhetherItIsThere() {
        assertThat(monitored(null)).isEqualTo("missing");
        assertThat(monitored(true)).isEqualTo("True/PodMonitorApplied");
        assertThat(monitored(false)).isEqualTo("False/NoPodMonitorCrd");
    }

    private static String monitored(@Nullable Boolean there) {
        Observation seen = new Observation(
                pods(1, 1, List.of()),
                pods(3, 3, List.of()),
                cluster(peer(0, 0)),
                List.of(),
                List.of(),
                null,
                null,
                there);
        return of("Monitored", new Conditions(FORMED, seen, null).all());
    }
}
