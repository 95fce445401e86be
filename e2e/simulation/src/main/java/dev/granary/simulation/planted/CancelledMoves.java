package dev.granary.simulation.planted;

import static dev.granary.simulation.planted.TamperedNetwork.frame;
import static dev.granary.simulation.planted.TamperedNetwork.is;
import static dev.granary.simulation.planted.TamperedNetwork.payload;

import dev.granary.env.Environment;
import dev.granary.env.Scheduler;
import dev.granary.net.Frame;
import dev.granary.net.Transport;
import dev.granary.net.message.Blob;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.RingMessages.RingViewMessage;
import dev.granary.simulation.planted.TamperedNetwork.Link;
import dev.granary.simulation.planted.TamperedNetwork.Tamperer;
import dev.granary.superpeer.state.ring.RingView;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * A super-peer's network through which either the source or the target of a move of a part of an arc hears that the
 * move was cancelled, while the ring goes on and switches. A source that hears it takes the part back and answers for
 * it, although the target has it too. A target that hears it throws the part away, and nobody has it.
 */
final class CancelledMoves implements Tamperer {

    private final Scheduler scheduler;
    private final int kind;
    private final int type;

    /** The newest ring view that passed through this network. */
    private @Nullable RingView newest;

    /** The connection on which another super-peer told of the ring last. */
    private @Nullable Link toldBy;

    /** @param kind with {@code type}, the frame that is sent just before the move is cancelled */
    private CancelledMoves(Scheduler scheduler, int kind, int type) {
        this.scheduler = scheduler;
        this.kind = kind;
        this.type = type;
    }

    /** The source hears it when it has handed out the part. */
    static Transport atTheSource(Environment world, Transport transport) {
        return new TamperedNetwork(
                transport, new CancelledMoves(world.scheduler(), Frame.KIND_REPLY, MessageType.ARC_PART.code()));
    }

    /** The target hears it when it has the part and asks the ring to switch. */
    static Transport atTheTarget(Environment world, Transport transport) {
        return new TamperedNetwork(
                transport, new CancelledMoves(world.scheduler(), Frame.KIND_REQUEST, MessageType.SWITCH_RING.code()));
    }

    @Override
    public boolean arrives(Link link, ByteBuf frame) {
        if (look(frame)) {
            toldBy = link;
        }
        return true;
    }

    @Override
    public boolean leaves(Link link, ByteBuf frame) {
        look(frame);
        RingView view = newest;
        Link by = kind == Frame.KIND_REPLY ? link : toldBy;
        if (by != null && view != null && view.operation() != null && is(frame, kind, type)) {
            RingViewMessage told = new RingViewMessage(new Blob(cancelled(view).toBytes()));
            scheduler.execute(
                    () -> by.deliver(frame(Frame.KIND_REQUEST, MessageType.RING_VIEW.code(), Long.MAX_VALUE, told)));
        }
        return true;
    }

    /**
     * Returns a view without the move, one version newer. The view of the next commit has the same version, and then is
     * not believed any more.
     */
    private static RingView cancelled(RingView view) {
        return new RingView(
                view.version() + 1,
                view.clusterId(),
                view.epoch(),
                view.expectedSize(),
                view.formed(),
                view.sizeChosen(),
                view.superPeers(),
                null,
                view.events());
    }

    /** Whether a frame tells of the ring; the newest view is remembered. */
    private boolean look(ByteBuf frame) {
        if (!is(frame, Frame.KIND_REQUEST, MessageType.RING_VIEW.code())) {
            return false;
        }
        RingView seen = RingView.read(
                MessageType.RING_VIEW.readRequest(payload(frame)).view().bytes());
        if (newest == null || newest.version() < seen.version()) {
            newest = seen;
        }
        return true;
    }
}
