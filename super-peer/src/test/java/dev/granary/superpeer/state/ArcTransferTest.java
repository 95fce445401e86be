package dev.granary.superpeer.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.overlay.Arc;
import dev.granary.overlay.HostAddress;
import dev.granary.superpeer.state.ArcResult.Reason;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** A part that moves from arc to arc to arc, step by step. */
class ArcTransferTest {

    private static final int NID = 0x2000;
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

    private void openPeer() {
        PeerCommand open = new PeerCommand.OpenPeer(
                NID, new UUID(1, 1), 3, "p", ADDRESS, ADDRESS, 4096, 100, "", "", List.of(), 0);
        assertThat(first.apply(open)).isInstanceOf(ArcResult.Done.class);
    }

    /** Seals a part and hands it to another arc, which has it but has not accepted it. */
    private static void move(ArcState from, ArcState to, int operation, Arc part) {
        applied(from, new ArcTransfer.Seal(operation, part, operation));
        ByteBuf out = Unpooled.buffer();
        from.writePart(part, out);
        byte[] bytes = ByteBufUtil.getBytes(out);
        applied(to, new ArcTransfer.Import(operation, part, operation, 0, bytes.length, bytes));
        assertThat(to.hasArrived()).isTrue();
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
}
