package dev.granary.superpeer.replicated;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.raft.RaftGroup;
import dev.granary.superpeer.node.MemoryBudget;
import org.junit.jupiter.api.Test;

class RaftRoomTest {

    private static final int OTHERS = 8;
    private static final int LARGE = RaftGroup.MAX_MESSAGE_BYTES;

    private final MemoryBudget budget = new MemoryBudget((long) OTHERS * LARGE);
    private final RaftRoom room = new RaftRoom(budget);

    @Test
    void tryTake_oneThatTakesNothing_leavesRoomForTheOthers() {
        for (int nid = 1; nid <= OTHERS; nid++) {
            assertThat(room.tryTake(nid, 1)).isTrue();
            room.give(nid, 1);
        }
        int sizeBytes = LARGE / 10;
        long takenBytes = 0;
        while (room.tryTake(1, sizeBytes)) {
            takenBytes += sizeBytes;
        }

        assertThat(takenBytes).isBetween((long) LARGE - sizeBytes, (long) LARGE);
        for (int nid = 2; nid <= OTHERS; nid++) {
            assertThat(room.tryTake(nid, LARGE)).isTrue();
        }
        assertThat(budget.bytes()).isLessThanOrEqualTo(budget.limitBytes());
    }

    @Test
    void tryTake_eachOfAWholeRing_isSentTheLargestMessage() {
        for (int nid = 1; nid <= OTHERS; nid++) {
            assertThat(room.tryTake(nid, LARGE)).isTrue();
        }
        for (int nid = 1; nid <= OTHERS; nid++) {
            assertThat(room.tryTake(nid, LARGE)).isFalse();
        }
        for (int nid = 1; nid <= OTHERS; nid++) {
            room.give(nid, LARGE);
        }
        assertThat(budget.bytes()).isZero();
    }
}
