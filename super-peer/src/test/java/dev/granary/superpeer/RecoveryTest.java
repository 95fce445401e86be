package dev.granary.superpeer;

import static dev.granary.superpeer.SimulatedRing.LEASE_NANOS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.message.Empty;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.RecoveryMessages.RecoverZone;
import dev.granary.net.message.RecoveryMessages.RunRecovery;
import dev.granary.net.message.ZoneMessages.ChangeCopies;
import dev.granary.net.message.ZoneMessages.OpenZone;
import dev.granary.net.message.ZoneMessages.ZonePlacement;
import dev.granary.net.message.ZoneMessages.ZoneRanges;
import dev.granary.net.message.ZoneMessages.ZoneStatus;
import dev.granary.overlay.BackupZone;
import dev.granary.overlay.Placement;
import dev.granary.overlay.PlacementState;
import dev.granary.superpeer.node.SuperPeerConfig;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Three real super-peers and five scripted storage peers: what becomes of zones when owners and in-sync backups end.
 */
class RecoveryTest {

    private static final long SECOND = 1_000_000_000L;
    private static final int PEERS = 5;

    private final SimulatedRing ring = new SimulatedRing();
    private final Map<Integer, ScriptedPeer> peers = new TreeMap<>();
    private final ScriptedPeer[] byNumber = new ScriptedPeer[PEERS];

    private void begin() {
        for (int i = 0; i < 3; i++) {
            SuperPeerConfig config = i == 0 ? SimulatedRing.founder("s0", 3) : SimulatedRing.config("s" + i);
            ring.start(SimulatedRing.withBackups(config, 3));
        }
        for (int i = 0; i < 3; i++) {
            ring.awaitReady("s" + i);
        }
        for (int i = 0; i < PEERS; i++) {
            byNumber[i] = new ScriptedPeer(ring, i, peers);
            byNumber[i].start();
        }
        await("leases", () -> Arrays.stream(byNumber).allMatch(ScriptedPeer::holdsLease));
        await("copies of all zones", () -> status(inSync -> inSync.inSync() == PEERS));
    }

    private interface StatusCheck {
        boolean holds(ZoneStatus status);
    }

    /** Whether the zones of all arcs together fulfil a condition. */
    private boolean status(StatusCheck check) {
        int inSync = 0;
        int degraded = 0;
        int recovering = 0;
        int lost = 0;
        for (int i = 0; i < 3; i++) {
            if (ring.node("s" + i).isRunning()) {
                ZoneStatus told = ring.call("s" + i, MessageType.ZONE_STATUS, new Empty());
                inSync += told.inSync();
                degraded += told.degraded();
                recovering += told.recovering();
                lost += told.lost();
            }
        }
        return check.holds(new ZoneStatus(inSync, degraded, recovering, lost, 0, List.of(), List.of(), List.of()));
    }

    private ZoneStatus.@Nullable Recovery recovery(int zone) {
        for (int i = 0; i < 3; i++) {
            ZoneStatus told = ring.call("s" + i, MessageType.ZONE_STATUS, new Empty());
            for (ZoneStatus.Recovery each : told.recoveries()) {
                if (each.zone() == zone) {
                    return each;
                }
            }
        }
        return null;
    }

    private void await(String what, BooleanSupplier condition) {
        for (int i = 0; i < 600; i++) {
            if (condition.getAsBoolean()) {
                return;
            }
            ring.runFor(SECOND / 10);
        }
        StringBuilder recoveries = new StringBuilder();
        for (int i = 0; i < 3; i++) {
            if (ring.node("s" + i).isRunning()) {
                recoveries.append(
                        ring.call("s" + i, MessageType.ZONE_STATUS, new Empty()).recoveries());
            }
        }
        throw new AssertionError(ring + ": no " + what + ", " + recoveries
                + Arrays.stream(byNumber)
                        .map(p -> placement(zoneOf(p)).toString())
                        .toList());
    }

    private Placement placement(int zone) {
        for (int i = 0; i < 300; i++) {
            for (int s = 0; s < 3; s++) {
                if (!ring.node("s" + s).isRunning()) {
                    continue;
                }
                var reply = ring.send(SimulatedRing.address("s" + s), MessageType.ZONE_RANGES, new ZoneRanges(zone, 0));
                if (!reply.isCompletedExceptionally()) {
                    return reply.join().ranges().getFirst().placement();
                }
            }
            ring.runFor(SECOND / 20);
        }
        throw new AssertionError(ring + ": nobody knows the zone " + zone);
    }

    /** Asks once: two requests could go to two super-peers, one of which has not heard yet. */
    private boolean isServedByAnother(int zone, ScriptedPeer victim) {
        Placement now = placement(zone);
        return now.isServed() && now.owner() != victim.nid();
    }

    private static int zoneOf(ScriptedPeer peer) {
        return BackupZone.id(peer.nid(), 1);
    }

    private ScriptedPeer peer(int nid) {
        return Objects.requireNonNull(peers.get(nid));
    }

    /** Returns the last order that a peer was given to recover a zone. */
    private static RunRecovery.Task orderOf(ScriptedPeer peer, int zone) {
        return peer.orders.stream()
                .filter(order -> order.zone() == zone)
                .reduce((first, last) -> last)
                .orElseThrow();
    }

    /** Returns the in-sync backups of a peer's own zone. */
    private List<ScriptedPeer> membersOf(ScriptedPeer owner) {
        return Arrays.stream(placement(zoneOf(owner)).backups())
                .mapToObj(this::peer)
                .toList();
    }

    /** Kills a peer; returns the first peer that is to recover its zone, which never ends the recovery. */
    private ScriptedPeer killedWithoutEnd(ScriptedPeer victim) {
        peers.values().forEach(peer -> peer.finishes = false);
        victim.kill();
        await("candidate", () -> peers.values().stream().anyMatch(peer -> !peer.orders.isEmpty()));
        return peers.values().stream()
                .filter(peer -> !peer.orders.isEmpty())
                .findFirst()
                .orElseThrow();
    }

    @Test
    void ownerEnds_membersHoldAll_oneOfThemTakesOverAndANewCopyIsFilled() {
        begin();
        ScriptedPeer victim = byNumber[1];
        int zone = zoneOf(victim);
        List<ScriptedPeer> members = membersOf(victim);
        assertThat(members).hasSize(3).doesNotContain(victim);
        for (int i = 0; i < 3; i++) {
            Objects.requireNonNull(members.get(i).copies.get(zone)).lastSequence = 40L + i;
        }
        victim.kill();
        ring.runFor(LEASE_NANOS / 2);
        assertThat(placement(zone).owner()).as("while the lease may be out").isEqualTo(victim.nid());

        await("owner", () -> isServedByAnother(zone, victim));

        Placement next = placement(zone);
        ScriptedPeer owner = peer(next.owner());
        assertThat(members).contains(owner);
        RunRecovery.Task order = orderOf(owner, zone);
        assertThat(order.lastSequence()).as("what all have").isEqualTo(40);
        assertThat(order.members().getFirst().nid()).isEqualTo(owner.nid());
        assertThat(order.members()).hasSize(3);
        assertThat(next.epoch()).isEqualTo(order.epoch());
        await("third copy", () -> placement(zone).backupCount() == 3);
        assertThat(placement(zone).backups()).doesNotContain(victim.nid(), owner.nid());
    }

    /** The arc once decided for this candidate again and again at one moment, as often as the processor could. */
    @Test
    void candidate_arcHasHeardOfItsNextIncarnation_isNotChosen() {
        begin();
        ScriptedPeer victim = byNumber[1];
        int zone = zoneOf(victim);
        ScriptedPeer first = membersOf(victim).getFirst();
        // Only the arc of the victim's chunks hears that the first backup has restarted; the backup's own arc does not.
        OpenZone later = new OpenZone(victim.nid(), first.nid(), first.epoch() + 1);
        for (int i = 0; i < 3; i++) {
            var _ = ring.send(SimulatedRing.address("s" + i), MessageType.OPEN_ZONE, later);
        }
        ring.runFor(SECOND / 10);
        victim.kill();

        await("owner", () -> isServedByAnother(zone, victim));

        assertThat(placement(zone).owner()).isNotEqualTo(first.nid());
    }

    @Test
    void candidateEnds_whileItRecovers_anotherOneBeginsAfresh() {
        begin();
        ScriptedPeer victim = byNumber[2];
        int zone = zoneOf(victim);
        ScriptedPeer first = killedWithoutEnd(victim);
        long firstEpoch = first.orders.getFirst().epoch();
        peers.values().forEach(peer -> peer.finishes = true);
        first.kill();

        await("owner", () -> isServedByAnother(zone, victim));

        ScriptedPeer owner = peer(placement(zone).owner());
        assertThat(owner).isNotSameAs(first);
        assertThat(placement(zone).epoch()).isGreaterThan(firstEpoch);
        assertThat(orderOf(owner, zone).members())
                .extracting(RunRecovery.Member::nid)
                .doesNotContain(first.nid());
    }

    @Test
    void candidateComesNoFurther_thoughItAnswers_anotherOneBeginsAfresh() {
        begin();
        ScriptedPeer victim = byNumber[2];
        int zone = zoneOf(victim);
        ScriptedPeer first = killedWithoutEnd(victim);
        peers.values().forEach(peer -> peer.finishes = peer != first);

        ring.runFor(20 * SECOND);
        assertThat(placement(zone).isServed()).as("it may take its time").isFalse();
        await("owner", () -> placement(zone).isServed());

        assertThat(placement(zone).owner()).isNotIn(victim.nid(), first.nid());
        assertThat(first.holdsLease()).isTrue();
    }

    @Test
    void leaderOfTheArcEnds_whileAZoneIsRecovered_theNextOneGoesOn() {
        begin();
        ScriptedPeer victim = byNumber[0];
        int zone = zoneOf(victim);
        peers.values().forEach(peer -> peer.finishes = false);
        victim.kill();
        await("candidate", () -> peers.values().stream().anyMatch(peer -> !peer.orders.isEmpty()));
        ScriptedPeer candidate = peers.values().stream()
                .filter(peer -> !peer.orders.isEmpty())
                .findFirst()
                .orElseThrow();
        String leader = leaderOf(victim.nid());
        ring.node(leader).kill();
        peers.values().forEach(peer -> peer.finishes = true);
        candidate.orders.clear();

        await("owner", () -> isServedByAnother(zone, victim));

        assertThat(placement(zone).owner()).as("what was decided stays").isEqualTo(candidate.nid());
    }

    private String leaderOf(int nid) {
        int owner = ring.superPeer("s0").ring().ownerOf(nid).nid();
        return ring.superPeer("s0").ring().member(owner).orElseThrow().name();
    }

    @Test
    void candidateWithoutRoom_anotherMemberTakesOver() {
        begin();
        ScriptedPeer victim = byNumber[3];
        int zone = zoneOf(victim);
        List<ScriptedPeer> members = membersOf(victim);
        members.getFirst().hasRoom = false;
        members.get(1).hasRoom = false;
        victim.kill();

        await("owner", () -> isServedByAnother(zone, victim));

        assertThat(placement(zone).owner()).isEqualTo(members.get(2).nid());
    }

    @Test
    void noMemberHasRoom_aPeerWithoutACopyTakesOver() {
        begin();
        ScriptedPeer victim = byNumber[3];
        int zone = zoneOf(victim);
        List<ScriptedPeer> members = membersOf(victim);
        members.forEach(peer -> peer.hasRoom = false);
        victim.kill();

        await("owner", () -> isServedByAnother(zone, victim));

        ScriptedPeer owner = peer(placement(zone).owner());
        assertThat(members).doesNotContain(owner);
        assertThat(placement(zone).backups())
                .containsExactlyInAnyOrder(
                        members.stream().mapToInt(ScriptedPeer::nid).toArray());
    }

    @Test
    void candidateCannotReadItsCopy_othersAnswerLate_theyAreWaitedForAndOneOfThemTakesOver() {
        begin();
        ScriptedPeer victim = byNumber[3];
        int zone = zoneOf(victim);
        List<ScriptedPeer> members = membersOf(victim);
        ScriptedPeer unreadable = members.getFirst();
        unreadable.reads = false;
        List<ScriptedPeer> late = members.subList(1, 3);
        late.forEach(peer -> peer.answersSeals = false);
        victim.kill();
        await("recovery that waits", () -> {
            ZoneStatus.Recovery recovery = recovery(zone);
            return recovery != null && recovery.waitingFor().size() == 2 && !unreadable.orders.isEmpty();
        });
        ring.runFor(30 * SECOND);
        assertThat(placement(zone).state()).isEqualTo(PlacementState.RECOVERING);
        assertThat(placement(zone).backupCount()).as("none is given up").isEqualTo(3);
        assertThat(orderOf(unreadable, zone).acceptDamage()).isFalse();

        late.forEach(peer -> peer.answersSeals = true);
        await("owner", () -> isServedByAnother(zone, victim));

        ScriptedPeer next = peer(placement(zone).owner());
        assertThat(late).contains(next);
        assertThat(orderOf(next, zone).members())
                .extracting(RunRecovery.Member::nid)
                .doesNotContain(unreadable.nid());
    }

    @Test
    void noMemberCanReadItsCopy_allHaveAnswered_oneOfThemTakesOverWithWhatItHas() {
        begin();
        ScriptedPeer victim = byNumber[3];
        int zone = zoneOf(victim);
        List<ScriptedPeer> members = membersOf(victim);
        members.forEach(peer -> peer.reads = false);
        victim.kill();

        await("owner", () -> isServedByAnother(zone, victim));

        ScriptedPeer next = peer(placement(zone).owner());
        assertThat(members).contains(next);
        assertThat(orderOf(next, zone).acceptDamage()).isTrue();
    }

    /**
     * A copy goes bad unnoticed. Then its zone is recovered twice, and in the end only the backup with this copy is in
     * sync.
     */
    @Test
    void onlyMemberCannotReadItsCopy_aRecoveryHasLeftOthersOut_oneOfThemTakesOverWithoutDamage() {
        begin();
        ScriptedPeer victim = byNumber[3];
        int zone = zoneOf(victim);
        List<ScriptedPeer> members = membersOf(victim);
        ScriptedPeer late = members.get(2);
        late.answersSeals = false;
        peers.values().forEach(peer -> peer.fills = false);
        victim.kill();
        await("owner", () -> isServedByAnother(zone, victim));
        ScriptedPeer first = peer(placement(zone).owner());
        ScriptedPeer unreadable = peer(placement(zone).backup(0));
        assertThat(placement(zone).backups()).containsExactly(unreadable.nid());
        unreadable.reads = false;
        first.kill();
        await("recovery that waits for the copies that were left out", () -> {
            ZoneStatus.Recovery recovery = recovery(zone);
            return recovery != null && Set.copyOf(recovery.waitingFor()).equals(Set.of(late.nid(), first.nid()));
        });
        ring.runFor(30 * SECOND);
        assertThat(placement(zone).state()).isEqualTo(PlacementState.RECOVERING);

        late.answersSeals = true;
        first.start();
        await("owner", () -> placement(zone).isServed());

        ScriptedPeer next = peer(placement(zone).owner());
        assertThat(next).isIn(late, first);
        assertThat(orderOf(next, zone).acceptDamage()).isFalse();
    }

    /** Storage peers with such a lease, as the metrics of all super-peers tell. */
    private int countOfPeers(String state) {
        double sum = 0;
        for (int i = 0; i < 3; i++) {
            sum += ring.metric("s" + i, "granary_superpeer_storage_peers", "state", state);
        }
        return (int) sum;
    }

    @Test
    void ownerEnds_isMissedUntilOthersHaveItsZones_thenItHasLeft() {
        begin();
        await("leases in the metrics", () -> countOfPeers("live") == PEERS);
        ScriptedPeer victim = byNumber[1];
        killedWithoutEnd(victim);
        await("peer that is missed", () -> countOfPeers("expired") == 1);
        ring.runFor(5 * SECOND);
        assertThat(countOfPeers("expired")).as("nobody owns its zone").isEqualTo(1);
        assertThat(countOfPeers("live")).isEqualTo(PEERS - 1);
        assertThat(countOfPeers("left")).isZero();

        peers.values().forEach(peer -> peer.finishes = true);
        peers.values().forEach(peer -> peer.orders.clear());
        await("peer that has left", () -> countOfPeers("left") == 1);
        assertThat(countOfPeers("expired")).isZero();
    }

    @Test
    void powerFails_everywhere_allMembersAreWaitedForAndTheOneWithTheMostCounts() {
        begin();
        ScriptedPeer owner = byNumber[1];
        int zone = zoneOf(owner);
        List<ScriptedPeer> members = membersOf(owner);
        for (int i = 0; i < 3; i++) {
            Objects.requireNonNull(members.get(i).copies.get(zone)).lastSequence = 10L + i;
        }
        peers.values().forEach(ScriptedPeer::kill);
        ScriptedPeer best = members.get(2);
        peers.values().stream().filter(peer -> peer != best).forEach(ScriptedPeer::start);
        await(
                "leases",
                () -> peers.values().stream().filter(peer -> peer != best).allMatch(ScriptedPeer::holdsLease));
        await("recovery that waits", () -> {
            ZoneStatus.Recovery recovery = recovery(zone);
            return recovery != null && recovery.waitingFor().equals(List.of(best.nid()));
        });
        ring.runFor(30 * SECOND);
        assertThat(placement(zone).state()).isEqualTo(PlacementState.RECOVERING);
        assertThat(placement(zone).backupCount()).as("none is given up").isEqualTo(3);

        best.start();
        await("owner", () -> placement(zone).isServed());

        ScriptedPeer next = peer(placement(zone).owner());
        assertThat(next).isSameAs(best);
        assertThat(orderOf(next, zone).lastSequence()).isEqualTo(12);
    }

    @Test
    void powerFails_aPersonAcceptsTheLoss_whatIsThereCounts() {
        begin();
        ScriptedPeer owner = byNumber[1];
        int zone = zoneOf(owner);
        List<ScriptedPeer> members = membersOf(owner);
        for (int i = 0; i < 3; i++) {
            Objects.requireNonNull(members.get(i).copies.get(zone)).lastSequence = 10L + i;
        }
        peers.values().forEach(ScriptedPeer::kill);
        ScriptedPeer gone = members.get(2);
        peers.values().stream().filter(peer -> peer != gone).forEach(ScriptedPeer::start);
        await(
                "leases",
                () -> peers.values().stream().filter(peer -> peer != gone).allMatch(ScriptedPeer::holdsLease));
        await("recovery that waits", () -> {
            ZoneStatus.Recovery recovery = recovery(zone);
            return recovery != null && recovery.waitingFor().equals(List.of(gone.nid()));
        });

        ZonePlacement asked = ring.call(leaderOf(owner.nid()), MessageType.RECOVER_ZONE, new RecoverZone(zone));
        assertThat(asked.placement().zone()).isEqualTo(zone);
        await("owner", () -> placement(zone).isServed());

        assertThat(placement(zone).owner()).isEqualTo(members.get(1).nid());
        assertThat(orderOf(peer(placement(zone).owner()), zone).lastSequence()).isEqualTo(11);
    }

    @Test
    void memberStartsAnew_ownerLives_itIsReplacedByAFreshCopy() {
        begin();
        ScriptedPeer owner = byNumber[4];
        int zone = zoneOf(owner);
        ScriptedPeer member = membersOf(owner).getFirst();
        long before = placement(zone).epoch();
        member.kill();
        member.start();
        await("lease", member::holdsLease);

        await("three continuous copies", () -> {
            Placement now = placement(zone);
            Map<Integer, ScriptedPeer.Copy> holders = ScriptedPeer.holders(peers, zone);
            return now.epoch() >= before + 2
                    && now.backupCount() == 3
                    && Arrays.stream(now.backups())
                            .allMatch(nid ->
                                    holders.containsKey(nid) && Objects.requireNonNull(holders.get(nid)).continuous);
        });
        assertThat(placement(zone).owner()).isEqualTo(owner.nid());
    }

    /**
     * A peer that all owners have dropped is chosen again, and only its own arc hears of its end. The arcs of the zones
     * once waited a minute for its copies.
     */
    @Test
    void targetOfAFillEnds_beforeItIsAMember_anotherPeerGetsTheCopy() {
        begin();
        ScriptedPeer dropped = membersOf(byNumber[0]).getFirst();
        List<Integer> zones = Arrays.stream(byNumber)
                .filter(owner -> membersOf(owner).contains(dropped))
                .map(owner -> {
                    drop(owner, dropped);
                    return zoneOf(owner);
                })
                .toList();
        ring.runFor(SECOND);
        dropped.kill();
        ring.runFor(LEASE_NANOS + 10 * SECOND);

        assertThat(zones).isNotEmpty().allSatisfy(zone -> assertThat(
                        placement(zone).backups())
                .doesNotContain(dropped.nid())
                .hasSize(3));
    }

    private void drop(ScriptedPeer owner, ScriptedPeer member) {
        Placement now = placement(zoneOf(owner));
        ChangeCopies change = new ChangeCopies(
                zoneOf(owner),
                owner.nid(),
                owner.epoch(),
                now.epoch(),
                List.of(member.nid()),
                List.of(),
                "it is silent");
        for (int i = 0; i < 3; i++) {
            var _ = ring.send(SimulatedRing.address("s" + i), MessageType.CHANGE_COPIES, change);
        }
        await("drop", () -> placement(zoneOf(owner)).epoch() > now.epoch());
    }

    /** Without the second backup the zone would take no writes either, and what it has on its disk may be needed. */
    @Test
    void twoMembersRestart_oneIsLeft_theSecondStaysUntilAnotherIsFilled() {
        begin();
        ScriptedPeer owner = byNumber[4];
        int zone = zoneOf(owner);
        owner.fills = false;
        List<ScriptedPeer> restarted = membersOf(owner).subList(0, 2);
        restarted.forEach(ScriptedPeer::kill);
        restarted.forEach(ScriptedPeer::start);
        await("leases", () -> restarted.stream().allMatch(ScriptedPeer::holdsLease));
        ring.runFor(20 * SECOND);
        assertThat(placement(zone).backupCount())
                .as("the first one may go while two others are left")
                .isGreaterThanOrEqualTo(2);
        ring.runFor(60 * SECOND);
        assertThat(placement(zone).backupCount())
                .as("nobody could be filled in a minute")
                .isEqualTo(1);

        owner.fills = true;
        await("three continuous copies", () -> hasThreeCopiesOfThisTime(zone));
    }

    private boolean hasThreeCopiesOfThisTime(int zone) {
        Placement now = placement(zone);
        Map<Integer, ScriptedPeer.Copy> holders = ScriptedPeer.holders(peers, zone);
        return now.backupCount() == 3
                && Arrays.stream(now.backups())
                        .allMatch(
                                nid -> holders.containsKey(nid) && Objects.requireNonNull(holders.get(nid)).continuous);
    }

    @Test
    void allMembersStartAnew_noneIsGivenUpBeforeAnotherIsFilled() {
        begin();
        ScriptedPeer owner = byNumber[4];
        int zone = zoneOf(owner);
        owner.fills = false;
        List<ScriptedPeer> members = membersOf(owner);
        members.forEach(ScriptedPeer::kill);
        members.forEach(ScriptedPeer::start);
        await("leases", () -> members.stream().allMatch(ScriptedPeer::holdsLease));
        ring.runFor(20 * SECOND);
        assertThat(placement(zone).backupCount()).isGreaterThan(0);

        owner.fills = true;
        await("three continuous copies", () -> hasThreeCopiesOfThisTime(zone));
    }

    @Test
    void twoOwnersEnd_atOnce_everythingIsServedByTheOthers() {
        begin();
        byNumber[0].kill();
        byNumber[3].kill();
        List<Integer> gone = List.of(byNumber[0].nid(), byNumber[3].nid());

        await("owners", () -> Arrays.stream(byNumber)
                .map(peer -> placement(zoneOf(peer)))
                .allMatch(now -> now.isServed() && !gone.contains(now.owner())));

        byNumber[0].start();
        await("lease", byNumber[0]::holdsLease);
        await("copies of all zones", () -> status(now -> now.recovering() == 0 && now.degraded() == 0));
    }
}
