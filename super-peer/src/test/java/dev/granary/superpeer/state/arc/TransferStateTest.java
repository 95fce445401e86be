package dev.granary.superpeer.state.arc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.overlay.Arc;
import dev.granary.superpeer.state.ArcTransfer;
import org.junit.jupiter.api.Test;

/** Which parts of an arc are being moved; what has ended does not begin again. */
class TransferStateTest {

    private static final Arc PART = new Arc(0x1000, 0x2000);
    private static final Arc OTHER_PART = new Arc(0x2000, 0x3000);

    private final TransferState state = new TransferState();

    private static ArcTransfer.Import piece(int operation, Arc arc, int offset, int total, int length) {
        return new ArcTransfer.Import(operation, arc, 5, offset, total, new byte[length]);
    }

    private TransferState readBack() {
        TransferState read = new TransferState();
        read.restore(state.snapshot());
        return read;
    }

    @Test
    void seal_aPart_shutsItAloneAndNoOtherIsSealedBeside() {
        assertThat(state.seal(new ArcTransfer.Seal(3, PART, 9))).isTrue();
        assertThat(state.seal(new ArcTransfer.Seal(3, PART, 9)))
                .as("sent again")
                .isTrue();
        assertThat(state.seal(new ArcTransfer.Seal(4, OTHER_PART, 9))).isFalse();
        assertThat(state.isShut(0x1001)).isTrue();
        assertThat(state.isShut(0x2001)).isFalse();
        assertThat(state.isShutWithin(new Arc(0x0800, 0x1800))).isTrue();
    }

    @Test
    void release_thenTheSameOperationAgain_isNotSealedOnceMore() {
        state.seal(new ArcTransfer.Seal(3, PART, 9));
        assertThat(state.release(2)).as("of another operation").isNull();
        assertThat(state.release(3)).isEqualTo(new ArcTransfer.Seal(3, PART, 9));
        assertThat(state.seal(new ArcTransfer.Seal(3, PART, 9))).isFalse();
        assertThat(state.isShut(0x1001)).isFalse();
        assertThat(readBack().seal(new ArcTransfer.Seal(3, PART, 9)))
                .as("remembered in snapshots")
                .isFalse();
    }

    @Test
    void seal_whatIsStillOnItsWayIn_isRefused() {
        assertThat(state.add(piece(7, PART, 0, 10, 4))).isTrue();
        assertThat(state.seal(new ArcTransfer.Seal(8, PART, 9))).isFalse();
        assertThat(state.seal(new ArcTransfer.Seal(8, OTHER_PART, 9))).isTrue();
    }

    @Test
    void add_piecesInOrder_areCompleteAtTheirTotal() {
        assertThat(state.add(piece(7, PART, 0, 10, 4))).isTrue();
        assertThat(state.add(piece(7, PART, 5, 10, 5))).as("with a gap").isFalse();
        assertThat(state.add(piece(8, OTHER_PART, 0, 10, 4)))
                .as("of another operation")
                .isFalse();
        assertThat(state.add(piece(7, PART, 4, 10, 6))).isTrue();
        assertThat(state.incoming()).isNotNull().matches(TransferState.Incoming::isComplete);
        assertThat(state.add(piece(7, PART, 0, 10, 4)))
                .as("a late piece of a complete part")
                .isTrue();
        assertThat(state.take(7)).isNotNull();
        assertThat(state.isArrivalOver(7)).isTrue();
        assertThat(state.add(piece(7, PART, 0, 10, 4))).as("after the end").isFalse();
    }

    @Test
    void add_theFirstPieceAgain_startsAfresh() {
        state.add(piece(7, PART, 0, 10, 4));
        assertThat(state.add(piece(7, PART, 0, 10, 3))).isTrue();
        assertThat(state.add(piece(7, PART, 3, 10, 7))).isTrue();
    }

    @Test
    void write_allOfIt_isReadBack() {
        Arc former = new Arc(0x3000, 0x3800);
        state.seal(new ArcTransfer.Seal(2, former, 9));
        state.release(2);
        state.left(former);
        state.seal(new ArcTransfer.Seal(3, PART, 9));
        state.add(piece(7, OTHER_PART, 0, 10, 4));
        TransferState read = readBack();
        assertThat(read.sealed()).isEqualTo(state.sealed());
        assertThat(read.incoming())
                .isNotNull()
                .matches(incoming -> incoming.operation() == 7 && !incoming.isComplete());
        assertThat(read.isShut(0x3400)).isTrue();
        assertThat(read.add(piece(7, OTHER_PART, 4, 10, 6))).isTrue();
    }

    @Test
    void came_theBeginningOfWhatHasLeft_leavesTheRestShut() {
        state.left(PART);
        state.left(OTHER_PART);
        assertThat(state.isShut(0x1800)).isTrue();
        assertThat(state.isShut(0x2800)).isTrue();
        state.came(OTHER_PART);
        assertThat(state.isShut(0x2800)).isFalse();
        assertThat(state.isShut(0x1800)).isTrue();
        state.came(PART);
        assertThat(state.isShut(0x1800)).isFalse();
    }
}
