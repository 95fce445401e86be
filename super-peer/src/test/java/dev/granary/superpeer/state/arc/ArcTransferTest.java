package dev.granary.superpeer.state.arc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.overlay.Arc;
import dev.granary.overlay.HostAddress;
import dev.granary.superpeer.state.ArcCommand;
import dev.granary.superpeer.state.ArcResult;
import dev.granary.superpeer.state.ArcResult.Reason;
import dev.granary.superpeer.state.ArcTransfer;
import dev.granary.superpeer.state.PeerCommand;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** A part moves from arc to arc to arc, step by step. */
class ArcTransferTest {

    private static final int NID = 0x2000;
    private static final long INCARNATION = 3;
    private static final Arc WIDE = new Arc(0x0001, 0x8001);
    private static final Arc NARROW = new Arc(0x0001, 0x4001);
    private static final Arc BESIDE = new Arc(0x4001, 0x8001);
    private static final HostAddress ADDRESS = new HostAddress("p", 7500);
    private static final int FIRST = 6;
    private static final int SECOND = 7;

    private final ArcState first = new ArcState();
    private final ArcState second = new ArcState();
    private final ArcState third = new ArcState();

    private static void applied(ArcState state, ArcCommand command) {
        assertThat(state.apply(command)).isInstanceOf(ArcResult.Applied.class);
    }

    private static void refused(ArcState state, ArcCommand command) {
        assertThat(state.apply(command))
                .isInstanceOfSatisfying(ArcResult.Refused.class, refused -> assertThat(refused.reason())
                        .isEqualTo(Reason.MOVING));
    }

    private static PeerCommand opening() {
        return new PeerCommand.OpenPeer(
                NID, new UUID(1, 1), INCARNATION, "p", ADDRESS, ADDRESS, 4096, 100, "", "", List.of(), 0, null);
    }

    private void openPeer() {
        assertThat(first.apply(opening())).isInstanceOf(ArcResult.Done.class);
    }

    /** Seals a part and hands it to another arc, which has received it but not accepted it. */
    private static void move(ArcState from, ArcState to, int operation, Arc part) {
        applied(from, new ArcTransfer.Seal(operation, part, operation));
        applied(to, importOf(from, operation, part));
        assertThat(to.hasArrived()).isTrue();
    }

    private static ArcTransfer.Import importOf(ArcState from, int operation, Arc part) {
        ByteBuf out = Unpooled.buffer();
        from.writePart(part, out);
        byte[] bytes = ByteBufUtil.getBytes(out);
        return new ArcTransfer.Import(operation, part, operation, 0, bytes.length, bytes);
    }

    private static ArcState restored(ArcState from) {
        ByteBuf out = Unpooled.buffer();
        from.writeSnapshot(out);
        ArcState to = new ArcState();
        to.readSnapshot(out);
        return to;
    }

    private static void reserve(ArcState state, long limit) {
        assertThat(state.apply(new PeerCommand.ReserveLids(NID, INCARNATION, limit(state), limit, List.of())))
                .isInstanceOf(ArcResult.Done.class);
    }

    private static long limit(ArcState state) {
        return Objects.requireNonNull(state.peer(NID)).lidLimit();
    }

    @Test
    void seal_whileThePartHasNotBeenAccepted_refusedUntilItIs() {
        openPeer();
        move(first, second, FIRST, WIDE);
        applied(first, new ArcTransfer.Drop(FIRST));
        ArcTransfer.Seal seal = new ArcTransfer.Seal(SECOND, NARROW, SECOND);
        refused(second, seal);
        assertThat(second.leavingBy()).isZero();
        applied(second, new ArcTransfer.Accept(FIRST));
        move(second, third, SECOND, NARROW);
        applied(third, new ArcTransfer.Accept(SECOND));
        assertThat(third.peer(NID)).isNotNull();
    }

    @Test
    void seal_whileAnotherPartIsOnItsWayIn_done() {
        openPeer();
        move(first, second, FIRST, BESIDE);
        applied(second, new ArcTransfer.Seal(SECOND, NARROW, SECOND));
        assertThat(second.leavingBy()).isEqualTo(SECOND);
    }

    @Test
    void seal_whileACancelledPartHasNotBeenDiscarded_refusedUntilItIs() {
        openPeer();
        move(first, second, FIRST, WIDE);
        ArcTransfer.Seal seal = new ArcTransfer.Seal(SECOND, WIDE, SECOND);
        refused(second, seal);
        applied(second, new ArcTransfer.Discard(FIRST));
        applied(second, seal);
    }

    @Test
    void import_afterThePartWasAccepted_refusedAndNothingIsForgotten() {
        openPeer();
        move(first, second, FIRST, WIDE);
        applied(second, new ArcTransfer.Accept(FIRST));
        reserve(second, 1000);
        refused(second, importOf(first, FIRST, WIDE));
        refused(restored(second), importOf(first, FIRST, WIDE));
        assertThat(second.isArrivalOver(FIRST)).isTrue();
        assertThat(second.isArrivalOver(SECOND)).isFalse();
        refused(second, new ArcTransfer.Accept(FIRST));
        assertThat(limit(second)).isEqualTo(1000);
    }

    @Test
    void import_afterThePartWasDiscarded_refused() {
        openPeer();
        move(first, second, FIRST, WIDE);
        applied(second, new ArcTransfer.Discard(FIRST));
        refused(second, importOf(first, FIRST, WIDE));
    }

    @Test
    void seal_afterThePartWasDroppedOrUnsealed_refused() {
        openPeer();
        move(first, second, FIRST, WIDE);
        applied(first, new ArcTransfer.Unseal(FIRST));
        refused(first, new ArcTransfer.Seal(FIRST, WIDE, FIRST));
        applied(second, new ArcTransfer.Discard(FIRST));
        move(first, second, SECOND, WIDE);
        applied(first, new ArcTransfer.Drop(SECOND));
        refused(first, new ArcTransfer.Seal(SECOND, WIDE, SECOND));
        refused(restored(first), new ArcTransfer.Seal(SECOND, WIDE, SECOND));
    }

    @Test
    void apply_afterThePartWasDropped_refusedAsIfItMoved() {
        openPeer();
        move(first, second, FIRST, NARROW);
        applied(first, new ArcTransfer.Drop(FIRST));
        for (ArcState state : List.of(first, restored(first))) {
            // A leader that has not heard of the switch believes that the part is still its own, and finds no peer
            // there.
            assertThat(state.isMoving(NID)).isTrue();
            assertThat(state.isAnyMoving(WIDE)).isTrue();
            refused(state, opening());
            assertThat(state.isMoving(0x8000)).isFalse();
            assertThat(state.isAnyMoving(BESIDE)).isFalse();
        }
    }

    @Test
    void apply_afterTwoPartsWereDropped_refusedInBoth() {
        move(first, second, FIRST, NARROW);
        applied(first, new ArcTransfer.Drop(FIRST));
        Arc next = new Arc(0x4001, 0x6001);
        move(first, third, SECOND, next);
        applied(first, new ArcTransfer.Drop(SECOND));
        assertThat(first.isMoving(NID)).isTrue();
        assertThat(first.isMoving(0x6000)).isTrue();
        assertThat(first.isMoving(0x8000)).isFalse();
    }

    @Test
    void apply_afterThePartCameBack_done() {
        openPeer();
        move(first, second, FIRST, NARROW);
        applied(first, new ArcTransfer.Drop(FIRST));
        applied(second, new ArcTransfer.Accept(FIRST));
        move(second, first, SECOND, NARROW);
        applied(first, new ArcTransfer.Accept(SECOND));
        applied(second, new ArcTransfer.Drop(SECOND));
        assertThat(first.isMoving(NID)).isFalse();
        reserve(first, 1000);
        assertThat(limit(restored(first))).isEqualTo(1000);
    }

    @Test
    void apply_afterAPieceOfThePartCameBack_doneForThisPieceOnly() {
        move(first, second, FIRST, WIDE);
        applied(first, new ArcTransfer.Drop(FIRST));
        applied(second, new ArcTransfer.Accept(FIRST));
        move(second, first, SECOND, BESIDE);
        applied(first, new ArcTransfer.Accept(SECOND));
        assertThat(first.isMoving(NID)).isTrue();
        assertThat(first.isMoving(0x4001)).isTrue();
        assertThat(first.isMoving(0x8000)).isFalse();
    }

    @Test
    void writeSnapshot_afterThePartWasDropped_saysWhichPartItWas() {
        move(first, second, FIRST, NARROW);
        applied(first, new ArcTransfer.Unseal(FIRST));
        ByteBuf out = Unpooled.buffer();
        first.writeSnapshot(out);
        int unsealed = out.readableBytes();
        move(first, third, SECOND, NARROW);
        applied(first, new ArcTransfer.Drop(SECOND));
        out.clear();
        first.writeSnapshot(out);
        byte[] dropped = ByteBufUtil.getBytes(out);
        assertThat(ByteBufUtil.hexDump(dropped, unsealed, dropped.length - unsealed))
                .isEqualTo("01000140");
    }
}
