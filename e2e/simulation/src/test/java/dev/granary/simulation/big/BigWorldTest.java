package dev.granary.simulation.big;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.overlay.Cid;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Placement;
import dev.granary.overlay.tree.CidTree;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** {@link BigWorld} knows the truth, and notices what differs from it. */
class BigWorldTest {

    private static final BigPlan PLAN = new BigPlan(1, 4, 40, 400, 4, 10);
    private static final long ELECTION_NANOS = 500;

    private final Random random = new Random(7);
    private final BigWorld world = new BigWorld(
            PLAN, random, IntStream.range(0, 4).mapToObj(Nid::superPeerNid).toList());

    private void joinAll() {
        for (int i = 0; i < PLAN.storagePeers(); i++) {
            world.join();
        }
    }

    @Test
    void verify_afterManyMigrations_everyRangeIsWhereItBelongs() {
        joinAll();
        assertThat(world.verify()).isEqualTo(400);
        for (int i = 0; i < 2_000; i++) {
            world.migrate(world.randomZone(random));
        }
        assertThat(world.verify()).isEqualTo(400);
        long cid = world.randomCid(random);
        assertThat(world.treeOf(Cid.nid(cid))
                        .find(cid)
                        .orElseThrow()
                        .placement()
                        .owner())
                .isEqualTo(world.ownerOf(cid));
    }

    @Test
    void verify_aSuperPeerHasForgotten_isNoticed() {
        joinAll();
        world.members().getFirst().clear();
        assertThatThrownBy(world::verify).isInstanceOf(BigViolation.class).hasMessageContaining("ranges, expected 400");
    }

    @Test
    void verify_aSuperPeerNamesAnotherOwner_isNoticed() {
        joinAll();
        long cid = world.randomCid(random);
        CidTree tree = world.treeOf(Cid.nid(cid));
        int wrong = Nid.storageNid(world.ownerOf(cid) == Nid.storageNid(1) ? 2 : 1);
        var range = tree.find(cid).orElseThrow();
        tree.migrate(range.startCid(), range.endCidInclusive(), Placement.unreplicated(wrong, 1));
        assertThatThrownBy(world::verify)
                .isInstanceOf(BigViolation.class)
                .hasMessageContaining(Nid.toHex(world.ownerOf(cid)))
                .hasMessageContaining(Nid.toHex(wrong));
    }

    @Test
    void migrate_itsArcIsBeingMoved_changesNothing() {
        joinAll();
        long cid = world.randomCid(random);
        BigSuperPeer superPeer = world.superPeer(world.ring().ownerOf(Cid.nid(cid)));
        superPeer.seal(world.ring().arcOf(superPeer.nid));
        int zone = IntStream.range(0, 400)
                .filter(each -> Cid.nid(cid) == Nid.storageNid(1 + each / PLAN.zonesPerPeer()))
                .findFirst()
                .orElseThrow();
        var before = world.treeOf(Cid.nid(cid)).find(cid);
        for (int i = 0; i < 20; i++) {
            world.migrate(zone);
        }
        assertThat(world.treeOf(Cid.nid(cid)).find(cid)).isEqualTo(before);
        assertThat(world.verify()).isEqualTo(400);
    }

    @Test
    void servant_ownerIsDead_isTheNextOneThatLivesAfterTheElection() {
        int nid = Nid.storageNid(3);
        BigSuperPeer owner = world.superPeer(world.ring().holder(nid, 0));
        BigSuperPeer next = world.superPeer(world.ring().holder(nid, 1));
        BigSuperPeer last = world.superPeer(world.ring().holder(nid, 2));
        assertThat(world.servant(nid, 1_000, ELECTION_NANOS)).isSameAs(owner);
        owner.die(1_000);
        assertThat(world.servant(nid, 1_499, ELECTION_NANOS))
                .as("no election yet")
                .isNull();
        assertThat(world.servant(nid, 1_500, ELECTION_NANOS)).isSameAs(next);
        next.die(1_000);
        assertThat(world.servant(nid, 1_500, ELECTION_NANOS)).isSameAs(last);
        last.die(1_000);
        assertThat(world.servant(nid, 1_500, ELECTION_NANOS))
                .as("no holder is left")
                .isNull();
        owner.comeBack();
        assertThat(world.servant(nid, 1_500, ELECTION_NANOS)).isSameAs(owner);
    }

    @Test
    void setRing_arcsOfVeryDifferentSizes_isNoticed() {
        RingView uneven = new RingView(2, List.of(0x0101, 0x0201, 0x8001));
        assertThatThrownBy(() -> world.setRing(uneven))
                .isInstanceOf(BigViolation.class)
                .hasMessageContaining("times as large as the smallest");
    }

    /** A super-peer holds its own arc and those of the two before it. */
    @Test
    void metadataBytes_four_eachHoldsThreeArcs() {
        joinAll();
        Map<Integer, Long> bytes = world.metadataBytes();
        long all = world.members().stream()
                .mapToLong(member -> member.tree().footprintBytes())
                .sum();
        assertThat(bytes).hasSize(4);
        assertThat(bytes.values().stream().mapToLong(Long::longValue).sum()).isEqualTo(3 * all);
        int first = world.ring().nids().getFirst();
        List<Integer> held = world.ring().predecessors(first);
        assertThat(Objects.requireNonNull(bytes.get(first)))
                .isEqualTo(world.superPeer(first).tree().footprintBytes()
                        + held.stream()
                                .mapToLong(nid -> world.superPeer(nid).tree().footprintBytes())
                                .sum());
    }

    @Test
    void rangesIn_arcs_areAllRangesOnce() {
        joinAll();
        long found = world.members().stream()
                .mapToLong(member -> world.rangesIn(member.tree(), world.ring().arcOf(member.nid))
                        .size())
                .sum();
        assertThat(found).isEqualTo(400);
    }
}
