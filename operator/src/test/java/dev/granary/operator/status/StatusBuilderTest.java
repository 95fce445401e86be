package dev.granary.operator.status;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.operator.Samples;
import dev.granary.operator.api.GranaryStatus;
import dev.granary.operator.control.DrainView;
import dev.granary.operator.observe.ClusterObserver.Answer;
import dev.granary.operator.observe.ClusterView;
import dev.granary.operator.observe.PodView;
import dev.granary.operator.observe.PodsView;
import dev.granary.operator.observe.UnusedVolumes;
import dev.granary.operator.plan.ClusterPlan;
import dev.granary.operator.plan.Existing;
import dev.granary.operator.plan.TemplateHistory;
import dev.granary.operator.steer.Stop;
import io.fabric8.kubernetes.api.model.Condition;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class StatusBuilderTest {
    private static final Instant EARLY = Instant.parse("2026-01-01T00:00:00Z");
    private static final Instant LATE = Instant.parse("2026-01-01T01:00:00Z");
    private static final PodsView ALL_READY = pods(3, true, false, List.of());
    private static final ClusterPlan FORMED =
            Samples.plan("{superPeers: {min: 1}}", Samples.existing(1, 3, "1Gi", "10Gi", "id"));

    @Test
    void status_allLive_isReadyStableAndReplicated() {
        GranaryStatus status = status(FORMED, seen(view("id", true, "live", 3)), null, EARLY);
        assertThat(verdicts(status))
                .containsExactly(
                        "Ready=True/AllPeersLive",
                        "Progressing=False/Stable",
                        "Degraded=False/AsExpected",
                        "Balanced=True/Even",
                        "Replicated=True/AllCopies",
                        "MemoryPressure=False/Enough",
                        "Headroom=True/CanLoseOne",
                        "DiskPressure=False/Enough",
                        "Reconciling=False/Applied",
                        "Stalled=False/Applied");
        assertThat(status.summary())
                .isEqualTo(new GranaryStatus.SummaryStatus("3/3", "3/1", "4.0Ki/1Gi", "all is well"));
        assertThat(status.storagePeers()).isNotNull();
        assertThat(status.storagePeers().selector())
                .isEqualTo("app.kubernetes.io/component=storage,app.kubernetes.io/instance=social,"
                        + "app.kubernetes.io/name=granary");
    }

    @Test
    void status_storagePeersHaveDoors_tellsWhereRedisClientsConnect() {
        ClusterPlan plan = Samples.plan("{redis: {enabled: true}}");
        GranaryStatus status = status(plan, seen(view("id", true, "live", 3)), null, EARLY);
        assertThat(Objects.requireNonNull(status.endpoints()).redis()).isEqualTo("social-redis.shop.svc:6379");
    }

    @Test
    void status_answered_tellsVersionImageAndEndpoints() {
        GranaryStatus status = status(FORMED, seen(view("id", true, "live", 3)), null, EARLY);
        assertThat(status.image()).isEqualTo("example.org/granary:1");
        assertThat(status.endpoints())
                .isEqualTo(new GranaryStatus.EndpointsStatus(
                        "social.shop.svc:7400", "http://social.shop.svc:7401", null, null, null));
        ClusterView view = ((Answer.Seen) view("id", true, "live", 3)).view();
        ClusterView told =
                new ClusterView("id", view.ring(), view.storagePeers(), view.totals(), view.zones(), "0.1.0");
        GranaryStatus known = status(FORMED, seen(new Answer.Seen(told)), status, LATE);
        assertThat(known.version()).isEqualTo("0.1.0");
        assertThat(status(FORMED, seen(new Answer.Unreachable("x")), known, LATE)
                        .version())
                .isEqualTo("0.1.0");
    }

    @Test
    void status_volumesThatNoPodNeeds_namesTheFirstOfThem() {
        List<UnusedVolumes.Volume> volumes = IntStream.range(3, 33)
                .mapToObj(i -> new UnusedVolumes.Volume("data-social-storage-" + i, "10Gi"))
                .toList();
        Observation seen = new Observation(
                ALL_READY,
                ALL_READY,
                view("id", true, "live", 3),
                List.of(),
                List.of(),
                null,
                null,
                null,
                null,
                null,
                Observation.Addresses.NONE,
                new UnusedVolumes(volumes));
        GranaryStatus.UnusedVolumesStatus told =
                Objects.requireNonNull(status(FORMED, seen, null, EARLY).unusedVolumes());
        assertThat(told.count()).isEqualTo(30);
        assertThat(told.volumes())
                .hasSize(20)
                .startsWith(new GranaryStatus.UnusedVolumeStatus("data-social-storage-3", "10Gi"));
        assertThat(status(FORMED, seen(view("id", true, "live", 3)), null, EARLY)
                        .unusedVolumes())
                .isNull();
    }

    @Test
    void status_evenNumberOfSuperPeers_isSaidOnceInAnEventAndInTheCondition() {
        var existing = Samples.existing(1, 3, "1Gi", "10Gi", "id");
        GranaryStatus odd = status(
                Samples.plan("{superPeers: {replicas: 3}}", existing), seen(view("id", true, "live", 3)), null, EARLY);
        ClusterPlan four = Samples.plan("{superPeers: {replicas: 4}}", existing);
        GranaryStatus even = status(four, seen(view("id", true, "live", 3)), odd, LATE);
        assertThat(condition(odd, "Ready").getMessage()).doesNotContain("odd");
        assertThat(condition(even, "Ready").getMessage())
                .contains("4 super-peers outlive no more losses than 3: an odd number");
        assertThat(Happenings.between(odd, even))
                .filteredOn(Happening::warning)
                .extracting(Happening::reason)
                .containsExactly("EvenSuperPeers");
        assertThat(Happenings.between(even, status(four, seen(view("id", true, "live", 3)), even, LATE)))
                .isEmpty();
    }

    @Test
    void summary_somethingIsWrong_hasTheWordsOfTheMostImportantCondition() {
        GranaryStatus expired = status(FORMED, seen(view("id", true, "expired", 2)), null, EARLY);
        assertThat(Objects.requireNonNull(expired.summary()).message())
                .isEqualTo(condition(expired, "Degraded").getMessage());
        GranaryStatus failed =
                StatusBuilder.failed(expired, new Failure("InvalidSpec", "no such thing", true), 2, LATE);
        assertThat(Objects.requireNonNull(failed.summary()).message()).isEqualTo("no such thing");
    }

    @Test
    void paused_knownCluster_keepsItsStatusAndSaysSo() {
        GranaryStatus before = status(FORMED, seen(view("id", true, "live", 3)), null, EARLY);
        GranaryStatus paused = StatusBuilder.paused(before, 2, LATE);
        assertThat(verdicts(paused))
                .contains(
                        "Paused=True/SpecPaused",
                        "Ready=True/AllPeersLive",
                        "Reconciling=False/SpecPaused",
                        "Stalled=True/SpecPaused");
        assertThat(paused.observedGeneration()).isEqualTo(1);
        assertThat(paused.chunks()).isEqualTo(before.chunks());
        assertThat(paused.clusterId()).isEqualTo("id");
        assertThat(Objects.requireNonNull(paused.summary()).message()).contains("spec.paused is true");
        assertThat(StatusBuilder.isPaused(paused, 2L)).isTrue();
        assertThat(StatusBuilder.isPaused(paused, 3L)).isFalse();
        assertThat(StatusBuilder.isPaused(before, 1L)).isFalse();
        assertThat(Happenings.between(before, paused))
                .extracting(Happening::reason)
                .containsExactly("Paused");
        GranaryStatus resumed = status(FORMED, seen(view("id", true, "live", 3)), paused, LATE);
        assertThat(verdicts(resumed))
                .contains("Stalled=False/Applied")
                .noneMatch(verdict -> verdict.startsWith("Paused"));
        assertThat(Happenings.between(paused, resumed))
                .extracting(Happening::reason)
                .containsExactly("Resumed");
    }

    @Test
    void failed_afterAPause_isNotPausedAnyMore() {
        GranaryStatus paused =
                StatusBuilder.paused(status(FORMED, seen(view("id", true, "live", 3)), null, EARLY), 2, EARLY);
        GranaryStatus failed = StatusBuilder.failed(paused, new Failure("InvalidSpec", "no such", true), 3, LATE);
        assertThat(verdicts(failed))
                .contains("Stalled=True/InvalidSpec")
                .noneMatch(verdict -> verdict.startsWith("Paused"));
        assertThat(Objects.requireNonNull(failed.summary()).message()).isEqualTo("no such");
    }

    @Test
    void paused_newResource_saysOnlyThat() {
        GranaryStatus first = StatusBuilder.paused(null, 1, EARLY);
        assertThat(verdicts(first))
                .containsExactly("Paused=True/SpecPaused", "Reconciling=False/SpecPaused", "Stalled=True/SpecPaused");
        assertThat(first.observedGeneration()).isNull();
    }

    @Test
    void status_templateChangedJustNow_isNotStable() {
        PodsView changed = ALL_READY.withNewTemplate();
        Answer answer = view("id", true, "live", 3);
        GranaryStatus status = status(
                FORMED,
                new Observation(changed, ALL_READY, answer, List.of(), List.of(), null, null, null),
                null,
                EARLY);
        assertThat(verdicts(status)).contains("Ready=True/AllPeersLive", "Progressing=True/TemplateChanged");
    }

    @Test
    void status_noAnswerAfterFormed_isDegradedAndKeepsLastNumbers() {
        GranaryStatus before = status(FORMED, seen(view("id", true, "live", 3)), null, EARLY);
        GranaryStatus after = status(FORMED, seen(new Answer.Unreachable("timed out")), before, LATE);
        assertThat(verdicts(after))
                .contains("Ready=False/SuperPeersUnreachable", "Degraded=True/SuperPeersUnreachable");
        assertThat(after.chunks()).isEqualTo(before.chunks());
        assertThat(after.ring()).isEqualTo(before.ring());
        assertThat(condition(after, "Ready").getMessage()).contains("timed out");
    }

    @Test
    void status_expiredPeer_isNamed() {
        GranaryStatus status = status(FORMED, seen(view("id", true, "expired", 2)), null, EARLY);
        assertThat(verdicts(status))
                .contains("Ready=False/StoragePeersMissing", "Degraded=True/StoragePeersWithoutLease");
        assertThat(condition(status, "Degraded").getMessage()).contains("social-storage-0");
    }

    @Test
    void status_ringIncomplete_isNotReady() {
        GranaryStatus status = status(FORMED, seen(view("id", false, "live", 3)), null, EARLY);
        assertThat(verdicts(status)).contains("Ready=False/RingIncomplete", "Degraded=True/RingIncomplete");
    }

    @Test
    void status_nobodyAnswersForAnArc_isNeitherReadyNorSaysThatNothingIsMissing() {
        GranaryStatus before = status(FORMED, seen(view("id", true, "live", 3)), null, EARLY);
        ClusterView.Ring ring = new ClusterView.Ring(
                8,
                1,
                1,
                true,
                1,
                false,
                List.of(new ClusterView.SuperPeer("0x0001", "social-super-peer-0", true, 0, "")),
                List.of(),
                null);
        Answer unanswered = new Answer.Seen(new ClusterView(
                "id",
                ring,
                List.of(),
                new ClusterView.Totals(1, 0, 0, 0, 0, 0, 0, 0, 0),
                new ClusterView.Zones(0, 0, 0, 0, List.of())));
        GranaryStatus status = status(FORMED, seen(unanswered), before, LATE);
        assertThat(verdicts(status))
                .contains(
                        "Ready=False/ArcsUnanswered",
                        "Degraded=True/ArcsUnanswered",
                        "Replicated=Unknown/ArcsUnanswered");
        assertThat(condition(status, "Ready").getMessage()).contains("social-super-peer-0");
    }

    @Test
    void status_firstAnswer_recordsClusterIdAndNeverAnother() {
        GranaryStatus first =
                status(Samples.plan("{superPeers: {min: 1}}"), seen(view("id", true, "live", 3)), null, EARLY);
        assertThat(first.clusterId()).isEqualTo("id");
        GranaryStatus second = status(FORMED, seen(view("other", true, "live", 3)), first, LATE);
        assertThat(second.clusterId()).isEqualTo("id");
        assertThat(verdicts(second)).contains("Degraded=True/ClusterIdMismatch");
    }

    @Test
    void status_sameVerdictLater_keepsItsTransitionTime() {
        GranaryStatus before = status(FORMED, seen(view("id", true, "live", 3)), null, EARLY);
        GranaryStatus same = status(FORMED, seen(view("id", true, "live", 3)), before, LATE);
        assertThat(same).isEqualTo(before);
        GranaryStatus changed = status(FORMED, seen(view("id", true, "expired", 2)), before, LATE);
        assertThat(condition(changed, "Ready").getLastTransitionTime()).isEqualTo("2026-01-01T01:00:00Z");
        assertThat(condition(changed, "Replicated").getLastTransitionTime()).isEqualTo("2026-01-01T00:00:00Z");
    }

    @Test
    void status_podsOfOlderTemplateWhilePaused_areNamed() {
        GranaryStatus status = status(
                Samples.plan(
                        "{superPeers: {min: 1}, updateStrategy: {paused: true}}",
                        Samples.existing(1, 3, "1Gi", "10Gi", "id")),
                outdated(),
                null,
                EARLY);
        assertThat(verdicts(status)).contains("Progressing=False/UpdatePaused");
        assertThat(condition(status, "Progressing").getMessage()).contains("social-storage-1");
    }

    @Test
    void status_podsOfOlderTemplateBetweenTwoStops_isUpdating() {
        assertThat(verdicts(status(FORMED, outdated(), null, EARLY))).contains("Progressing=True/Updating");
    }

    @Test
    void status_updateRolledBack_doesNotSayThatThePodWasWaitedForWhenItCouldNotStart() {
        TemplateHistory back = new TemplateHistory(null, null, "inputs");
        ClusterPlan plan = FORMED.with(FORMED.superPeers(), FORMED.storage().withHistory(back));
        GranaryStatus status = status(plan, seen(view("id", true, "live", 3)), null, EARLY);
        assertThat(verdicts(status)).contains("Degraded=True/UpdateRolledBack");
        assertThat(condition(status, "Degraded").getMessage())
                .startsWith("a pod with the new template could not start, or was not ready within 180 s, so all pods");
    }

    private static Observation outdated() {
        PodsView outdated = pods(3, true, true, List.of());
        Answer answer = seen(view("id", true, "live", 3)).cluster();
        return new Observation(ALL_READY, outdated, answer, List.of(), List.of(), null, null, null);
    }

    @Test
    void status_drain_tellsBytesDestinationsAndTimeLeft() {
        Stop stop = new Stop("social-storage-0", "0x8000", Stop.Reason.SCALE_IN, Stop.Phase.DRAINING, "it moves");
        GranaryStatus first = status(FORMED, draining(stop, 0), null, EARLY);
        GranaryStatus second = status(FORMED, draining(stop, 256), first, EARLY.plusSeconds(10));
        assertThat(verdicts(second)).contains("Ready=True/AllPeersLive", "Progressing=True/ScalingIn");
        assertThat(Objects.requireNonNull(second.stops()))
                .singleElement()
                .isEqualTo(new GranaryStatus.StopStatus(
                        "social-storage-0",
                        "0x8000",
                        "ScaleIn",
                        "Draining",
                        "it moves",
                        "2026-01-01T00:00:00Z",
                        "1Ki",
                        "256B",
                        List.of("social-storage-1"),
                        30L));
    }

    private static Observation draining(Stop stop, long bytesDone) {
        DrainView drain = new DrainView("0x8000/1", 0x8000, "running", "", 1024, bytesDone, List.of("0x8002"));
        return new Observation(
                ALL_READY,
                ALL_READY,
                seen(view("id", true, "live", 3)).cluster(),
                List.of(stop),
                List.of(drain),
                null,
                null,
                null);
    }

    @Test
    void status_stopIsBlocked_saysWhyAndMakesAnEvent() {
        Stop stop = new Stop("social-storage-0", "0x8000", Stop.Reason.SCALE_IN, Stop.Phase.BLOCKED, "no room");
        GranaryStatus before = status(FORMED, seen(view("id", true, "live", 3)), null, EARLY);
        GranaryStatus after = status(FORMED, draining(stop, 0), before, LATE);
        assertThat(verdicts(after)).contains("Progressing=False/StopBlocked");
        assertThat(condition(after, "Progressing").getMessage()).contains("no room");
        assertThat(Happenings.between(before, after))
                .extracting(Happening::reason)
                .contains("StopBlocked");
    }

    @Test
    void status_peerRestartedAfterItWasEmptied_hasLostNothing() {
        Stop released =
                new Stop("social-storage-0", "0x8000", Stop.Reason.UPDATE, Stop.Phase.RELEASED, "it owns nothing");
        GranaryStatus empty = status(FORMED, draining(released, 0), null, EARLY);
        GranaryStatus back = status(FORMED, seen(view("id", true, "live", 3, 77)), empty, LATE);
        assertThat(Objects.requireNonNull(back.chunks()).peersWithLoss()).isZero();
        GranaryStatus crashed = status(FORMED, seen(lost(99)), back, LATE);
        assertThat(Objects.requireNonNull(crashed.chunks()).peersWithLoss()).isEqualTo(1);
    }

    @Test
    void status_peerCrashedAndOthersHaveItsChunks_hasLostNothing() {
        GranaryStatus before = status(FORMED, seen(view("id", true, "live", 3)), null, EARLY);
        GranaryStatus crashed = status(FORMED, seen(view("id", true, "live", 3, 99)), before, LATE);
        assertThat(Objects.requireNonNull(crashed.chunks()).peersWithLoss()).isZero();
        assertThat(Happenings.between(before, crashed))
                .extracting(Happening::reason)
                .doesNotContain("ChunksLost");
        GranaryStatus gone = status(FORMED, seen(lost(99)), before, LATE);
        assertThat(Happenings.between(before, gone))
                .extracting(Happening::reason)
                .contains("ChunksLost");
    }

    @Test
    void backedUp_copiesMissing_countsThemAndIsDegradedUnlessSomebodyGoes() {
        Observation seen = seen(zones(new ClusterView.Zones(7, 2, 0, 0, List.of())));
        GranaryStatus status = status(FORMED, seen, null, EARLY);
        assertThat(verdicts(status)).contains("Replicated=False/CopiesMissing", "Degraded=True/CopiesMissing");
        assertThat(condition(status, "Replicated").getMessage()).contains("2 of 9 zones have fewer copies");
        Stop stop = new Stop("social-storage-0", "0x8000", Stop.Reason.UPDATE, Stop.Phase.DRAINING, "it moves");
        Observation planned =
                new Observation(ALL_READY, ALL_READY, seen.cluster(), List.of(stop), List.of(), null, null, null);
        assertThat(verdicts(status(FORMED, planned, null, EARLY)))
                .contains("Replicated=False/CopiesMissing", "Degraded=False/AsExpected");
    }

    @Test
    void backedUp_recovering_namesWhomItWaitsFor() {
        List<ClusterView.Recovery> recoveries = List.of(
                new ClusterView.Recovery("0x8000/1", "0x8002 0x8004"), new ClusterView.Recovery("0x8000/2", "0x8002"));
        GranaryStatus status = status(FORMED, seen(zones(new ClusterView.Zones(7, 0, 2, 0, recoveries))), null, EARLY);
        assertThat(verdicts(status)).contains("Replicated=False/Recovering", "Degraded=True/Recovering");
        assertThat(condition(status, "Replicated").getMessage())
                .contains("2 of 9 zones", "social-storage-1, social-storage-2. If they never come back");
    }

    @Test
    void backedUp_chunksLost_saysWhatToDo() {
        GranaryStatus status = status(FORMED, seen(zones(new ClusterView.Zones(7, 1, 0, 1, List.of()))), null, EARLY);
        assertThat(verdicts(status)).contains("Replicated=False/ChunksLost", "Degraded=True/ChunksLost");
        assertThat(condition(status, "Replicated").getMessage())
                .contains("1 of 9 zones had no copy left", "Load them again", "1 of 9 zones have fewer copies");
    }

    @Test
    void backedUp_oneStoragePeer_saysWhatToDo() {
        ClusterView all = ((Answer.Seen) zones(Samples.zonesInSync())).view();
        Answer one = new Answer.Seen(
                new ClusterView("id", all.ring(), all.storagePeers().subList(0, 1), all.totals(), all.zones()));
        GranaryStatus status = status(FORMED, seen(one), null, EARLY);
        assertThat(verdicts(status)).contains("Replicated=False/OneStoragePeer");
        assertThat(condition(status, "Replicated").getMessage()).contains("Raise spec.storagePeers.replicas");
    }

    @Test
    void backedUp_superPeersStillKeepFewerCopies_isNotTrue() {
        GranaryStatus status = status(FORMED, seen(zones(new ClusterView.Zones(10, 0, 0, 0, List.of()))), null, EARLY);
        assertThat(verdicts(status)).contains("Replicated=False/CopiesMissing", "Degraded=False/AsExpected");
        assertThat(condition(status, "Replicated").getMessage()).contains("18 copies of 10 zones", "asks for 20");
    }

    @Test
    void backedUp_notAskedFor_saysSo() {
        ClusterPlan off = Samples.plan(
                "{superPeers: {min: 1}, storagePeers: {copies: 0}}", Samples.existing(1, 3, "1Gi", "10Gi", "id"));
        assertThat(verdicts(status(off, seen(zones(Samples.zonesInSync())), null, EARLY)))
                .contains("Replicated=False/CopiesOff");
    }

    @Test
    void backedUp_superPeersDoNotTell_isUnknown() {
        assertThat(verdicts(status(FORMED, seen(zones(null)), null, EARLY))).contains("Replicated=Unknown/NotTold");
    }

    @Test
    void status_rdmaAskedFor_isHonestAboutTheTransport() {
        ClusterPlan plan = Samples.plan("{superPeers: {min: 1}, rdma: {mode: required}}");
        assertThat(verdicts(status(plan, seen(view("id", true, "live", 3)), null, EARLY)))
                .contains("RdmaReady=False/TransportNotInThisVersion");
    }

    @Test
    void status_rdmaAutoAndTooFewDevices_saysThatPeersRunWithout() {
        ClusterPlan plan = Samples.plan(
                "{superPeers: {min: 1}, rdma: {mode: auto}}",
                new Existing(
                        Existing.Role.NOTHING,
                        Existing.Role.NOTHING,
                        null,
                        new Existing.Devices(2L, false, false),
                        "id"));
        GranaryStatus status = status(plan, seen(view("id", true, "live", 3)), null, EARLY);
        assertThat(verdicts(status)).contains("RdmaReady=False/NoDevices", "Ready=True/AllPeersLive");
        assertThat(condition(status, "RdmaReady").getMessage()).contains("offer 2 in all", "TCP");
    }

    @Test
    void status_rdmaRequiredAndNoNodeHasIt_saysWhatToDo() {
        PodsView pending = new PodsView(
                List.of(), List.of(), List.of("social-storage-0 finds no node: Insufficient rdma/a"), true, true);
        GranaryStatus status = status(
                Samples.plan("{superPeers: {min: 1}, rdma: {mode: required, resourceName: rdma/a}}"),
                new Observation(
                        ALL_READY, pending, new Answer.Unreachable("none"), List.of(), List.of(), null, null, null),
                null,
                EARLY);
        assertThat(verdicts(status)).contains("RdmaReady=False/NoNodeForDevice");
        assertThat(condition(status, "RdmaReady").getMessage())
                .contains("1 rdma/a", "Insufficient rdma/a", "rdma.resourceName");
    }

    @Test
    void status_podMonitor_isThereOrItsCrdIsMissing() {
        Answer answer = view("id", true, "live", 3);
        Observation there = new Observation(ALL_READY, ALL_READY, answer, List.of(), List.of(), null, null, true);
        Observation missing = new Observation(ALL_READY, ALL_READY, answer, List.of(), List.of(), null, null, false);
        assertThat(verdicts(status(FORMED, there, null, EARLY))).contains("Monitored=True/PodMonitorApplied");
        assertThat(verdicts(status(FORMED, missing, null, EARLY))).contains("Monitored=False/NoPodMonitorCrd");
        assertThat(verdicts(status(FORMED, seen(answer), null, EARLY))).noneMatch(v -> v.startsWith("Monitored"));
    }

    @Test
    void status_podsInTrouble_saysWhy() {
        PodsView trouble = pods(3, false, false, List.of("social-storage-0: ImagePullBackOff"));
        GranaryStatus status = status(
                Samples.plan("{superPeers: {min: 1}}"),
                new Observation(
                        ALL_READY, trouble, new Answer.Unreachable("none"), List.of(), List.of(), null, null, null),
                null,
                EARLY);
        assertThat(verdicts(status)).contains("Degraded=True/PodsInTrouble");
        assertThat(condition(status, "Ready").getMessage()).contains("ImagePullBackOff");
    }

    @Test
    void failed_readyCluster_staysReadyAndKeepsWhatWasKnown() {
        GranaryStatus before = status(FORMED, seen(view("id", true, "live", 3)), null, EARLY);
        GranaryStatus after = StatusBuilder.failed(before, new Failure("ReconcileFailed", "boom", true), 2, LATE);
        assertThat(verdicts(after))
                .contains("Ready=True/AllPeersLive", "Degraded=True/ReconcileFailed", "Replicated=True/AllCopies");
        assertThat(after.clusterId()).isEqualTo("id");
    }

    @Test
    void failed_newSpec_doesNotLookApplied() {
        GranaryStatus before = status(FORMED, seen(view("id", true, "live", 3)), null, EARLY);
        GranaryStatus refused = StatusBuilder.failed(before, new Failure("InvalidSpec", "no such", true), 2, LATE);
        assertThat(refused.observedGeneration()).isEqualTo(1);
        assertThat(verdicts(refused)).contains("Stalled=True/InvalidSpec", "Reconciling=False/InvalidSpec");
        assertThat(condition(refused, "Ready").getObservedGeneration()).isEqualTo(1);
        assertThat(condition(refused, "Stalled").getObservedGeneration()).isEqualTo(2);
        GranaryStatus retried = StatusBuilder.failed(before, new Failure("ReconcileFailed", "503", false), 2, LATE);
        assertThat(retried.observedGeneration()).isEqualTo(1);
        assertThat(verdicts(retried)).contains("Stalled=False/Reconciling", "Reconciling=True/Retrying");
        assertThat(verdicts(status(FORMED, seen(view("id", true, "live", 3)), refused, LATE)))
                .contains("Stalled=False/Applied", "Reconciling=False/Applied");
    }

    @Test
    void failed_firstSpec_hasNoGenerationThatWasApplied() {
        GranaryStatus first = StatusBuilder.failed(null, new Failure("InvalidSpec", "no such", true), 1, EARLY);
        assertThat(first.observedGeneration()).isNull();
        assertThat(verdicts(first)).contains("Ready=False/InvalidSpec", "Stalled=True/InvalidSpec");
    }

    @Test
    void status_workAndDeadEnds_areToldToToolsThatWait() {
        Answer answer = view("id", true, "live", 3);
        Stop stop = new Stop("social-storage-0", "0x8000", Stop.Reason.SCALE_IN, Stop.Phase.BLOCKED, "no room");
        Observation blocked = new Observation(ALL_READY, ALL_READY, answer, List.of(stop), List.of(), null, null, null);
        assertThat(verdicts(status(FORMED, blocked, null, EARLY)))
                .contains("Reconciling=True/StopBlocked", "Stalled=False/Reconciling");
        assertThat(verdicts(status(FORMED, outdated(), null, EARLY)))
                .contains("Reconciling=True/Updating", "Stalled=False/Reconciling");
        TemplateHistory back = new TemplateHistory(null, null, "inputs");
        ClusterPlan plan = FORMED.with(FORMED.superPeers(), FORMED.storage().withHistory(back));
        assertThat(verdicts(status(plan, seen(answer), null, EARLY)))
                .contains("Reconciling=False/UpdateRolledBack", "Stalled=True/UpdateRolledBack");
    }

    @Test
    void happenings_stopStaysBlockedAndItsCountsChange_areOneEvent() {
        GranaryStatus before = status(FORMED, seen(view("id", true, "live", 3)), null, EARLY);
        GranaryStatus first = status(FORMED, blocked("room for 1.2Gi"), before, EARLY);
        GranaryStatus second = status(FORMED, blocked("room for 1.1Gi"), first, LATE);
        assertThat(Happenings.between(before, first))
                .filteredOn(happening -> happening.reason().equals("StopBlocked"))
                .extracting(Happening::message)
                .containsExactly("social-storage-0 cannot go yet: room for 1.2Gi");
        assertThat(Happenings.between(first, second)).isEmpty();
    }

    private static Observation blocked(String why) {
        Stop stop = new Stop("social-storage-0", "0x8000", Stop.Reason.SCALE_IN, Stop.Phase.BLOCKED, why);
        return new Observation(
                ALL_READY, ALL_READY, view("id", true, "live", 3), List.of(stop), List.of(), null, null, null);
    }

    @Test
    void happenings_fromNothingToReady_tellTheStoryOnce() {
        GranaryStatus waiting =
                status(Samples.plan("{superPeers: {min: 1}}"), seen(new Answer.Unreachable("x")), null, EARLY);
        GranaryStatus ready = status(FORMED, seen(view("id", true, "live", 3)), waiting, LATE);
        assertThat(Happenings.between(null, waiting)).isEmpty();
        assertThat(Happenings.between(waiting, ready))
                .extracting(Happening::reason)
                .containsExactly("ClusterFormed", "Ready");
        assertThat(Happenings.between(ready, ready)).isEmpty();
    }

    @Test
    void happenings_peerLost_warn() {
        GranaryStatus ready = status(FORMED, seen(view("id", true, "live", 3)), null, EARLY);
        GranaryStatus lost = status(FORMED, seen(view("id", true, "expired", 2)), ready, LATE);
        assertThat(Happenings.between(ready, lost))
                .extracting(Happening::reason)
                .containsExactly("NotReady", "StoragePeersWithoutLease");
    }

    private static GranaryStatus status(
            ClusterPlan plan, Observation seen, @Nullable GranaryStatus before, Instant now) {
        return StatusBuilder.of(plan, seen, before, 1, now);
    }

    private static Observation seen(Answer answer) {
        return new Observation(ALL_READY, ALL_READY, answer, List.of(), List.of(), null, null, null);
    }

    private static Answer view(String id, boolean complete, String state, int live) {
        return view(id, complete, state, live, 1);
    }

    private static Answer view(String id, boolean complete, String state, int live, long lostBelow) {
        return view(id, complete, state, live, lostBelow, Samples.zonesInSync());
    }

    /** A view in which a storage peer has restarted and one zone had no copy. */
    private static Answer lost(long lostBelow) {
        return view("id", true, "live", 3, lostBelow, new ClusterView.Zones(8, 0, 0, 1, List.of()));
    }

    private static Answer zones(ClusterView.@Nullable Zones zones) {
        return view("id", true, "live", 3, 1, zones);
    }

    private static Answer view(
            String id, boolean complete, String state, int live, long lostBelow, ClusterView.@Nullable Zones zones) {
        return new Answer.Seen(new ClusterView(
                id,
                Samples.ring(complete),
                List.of(
                        Samples.storagePeer(0, state, lostBelow, "none"),
                        Samples.storagePeer(1, "live", 1, "none"),
                        Samples.storagePeer(2, "live", 1, "none")),
                new ClusterView.Totals(1, 3, live, 9, 10, 1000, 90, 4096, 1 << 30),
                zones));
    }

    private static PodsView pods(int count, boolean ready, boolean outdated, List<String> problems) {
        List<PodView> pods = IntStream.range(0, count)
                .mapToObj(i -> new PodView(
                        "social-storage-" + i,
                        i,
                        "uid-" + i,
                        ready,
                        ready ? EARLY : null,
                        ready ? null : EARLY,
                        false,
                        outdated,
                        null,
                        true,
                        null,
                        ready,
                        problems.isEmpty() ? null : new PodView.Problem(problems.getFirst(), false)))
                .toList();
        return new PodsView(pods, List.of("10.0.0.1"), problems, false, true);
    }

    private static List<String> verdicts(GranaryStatus status) {
        return Objects.requireNonNull(status.conditions()).stream()
                .map(c -> c.getType() + "=" + c.getStatus() + "/" + c.getReason())
                .toList();
    }

    private static Condition condition(GranaryStatus status, String type) {
        return Objects.requireNonNull(StatusBuilder.find(status, type));
    }
}
