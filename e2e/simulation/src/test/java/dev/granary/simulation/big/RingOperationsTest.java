package dev.granary.simulation.big;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.overlay.Nid;
import dev.granary.testkit.Simulation;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What {@link RingOperations} move, and what is refused meanwhile. */
class RingOperationsTest {

    private static final long SECOND = 1_000_000_000;
    private static final BigPlan PLAN = new BigPlan(1, 8, 80, 1_600, 4, 10);

    private final Simulation simulation = new Simulation(5);
    private final BigWorld world = new BigWorld(
            PLAN,
            simulation.random("zones"),
            IntStream.range(0, 4).mapToObj(Nid::superPeerNid).toList());
    private final RingOperations operations = new RingOperations(simulation, world, 4);

    @BeforeEach
    void join() {
        for (int i = 0; i < PLAN.storagePeers(); i++) {
            world.join();
        }
    }

    private void end() {
        assertThat(simulation.runUntil(() -> !operations.isBusy(), 100 * SECOND))
                .isTrue();
        assertThat(world.verify()).isEqualTo(1_600);
    }

    @Test
    void promote_oneByOne_takesAHalfOfItsParentsRangesEachTime() {
        for (int size = 5; size <= 8; size++) {
            long epoch = world.ring().epoch();
            operations.promote();
            assertThat(operations.isBusy()).isTrue();
            end();
            assertThat(world.ring().size()).isEqualTo(size);
            assertThat(world.ring().epoch()).isEqualTo(epoch + 1);
        }
        assertThat(operations.promotions()).isEqualTo(4);
        assertThat(operations.movedRanges()).isBetween(600L, 1_000L);
        assertThat(world.members())
                .allSatisfy(member -> assertThat(member.tree().rangeCount()).isPositive());
        assertThat(operations.longestNanos()).isPositive();
    }

    @Test
    void promote_whileItMoves_itsPartIsSealedAndTheRestIsNot() {
        int coming = Nid.superPeerNid(4);
        BigSuperPeer parent = world.superPeer(world.ring().ownerOf(coming));
        var part = world.ring().with(coming).arcOf(coming);
        operations.promote();
        assertThat(simulation.runUntil(() -> parent.isSealed(coming), SECOND)).isTrue();
        assertThat(world.ring().size())
                .as("the ring changes by the last commit")
                .isEqualTo(4);
        assertThat(parent.isSealed(parent.nid)).as("what stays is served").isEqualTo(part.contains(parent.nid));
        end();
        assertThat(parent.isSealed(coming)).isFalse();
        assertThat(world.ring().ownerOf(coming)).isEqualTo(coming);
    }

    /** Otherwise each change back and forth would take a NID of the few that there are. */
    @Test
    void promote_afterADemotion_bringsTheDemotedOneBack() {
        operations.promote();
        end();
        int came = Nid.superPeerNid(4);
        operations.demote();
        end();
        assertThat(world.ring().nids()).as("the one that came last goes first").doesNotContain(came);
        assertThat(world.superPeer(came).tree().rangeCount()).isZero();
        operations.promote();
        end();
        assertThat(world.ring().nids()).contains(came).hasSize(5);
        assertThat(operations.demotions()).isEqualTo(1);
    }

    @Test
    void demote_downToOne_itHasEverything() {
        for (int size = 3; size >= 1; size--) {
            operations.demote();
            end();
            assertThat(world.ring().size()).isEqualTo(size);
        }
        assertThat(world.members().getFirst().tree().rangeCount()).isEqualTo(1_600);
    }
}
