package dev.granary.simulation.planted;

import static dev.granary.simulation.planted.TamperedNetwork.correlation;
import static dev.granary.simulation.planted.TamperedNetwork.frame;
import static dev.granary.simulation.planted.TamperedNetwork.is;
import static dev.granary.simulation.planted.TamperedNetwork.payload;

import dev.granary.env.Environment;
import dev.granary.net.Frame;
import dev.granary.net.Transport;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.ReplicationMessages.CopyResult;
import dev.granary.net.message.ReplicationMessages.CopyState;
import dev.granary.net.message.ReplicationMessages.CopyStates;
import dev.granary.net.message.ReplicationMessages.OpenCopies;
import dev.granary.simulation.planted.TamperedNetwork.Link;
import dev.granary.simulation.planted.TamperedNetwork.Tamperer;
import io.netty.buffer.ByteBuf;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A network through which an owner counts a backup as holding what it has just told the backup to cut, until the backup
 * answers: a forged answer says that the backup still holds it.
 */
final class TrustedOpenings implements Tamperer {

    /** How long the network waits for the answer to an opening before it forges one. */
    private static final long PATIENCE_NANOS = 10_000_000;

    private final Environment world;

    /** By copy, the last batch sequence that a backup has reported. */
    private final Map<CopyOn, Long> held = new HashMap<>();

    /** Openings without an answer. */
    private final Map<Asked, OpenCopies> open = new HashMap<>();

    /** Openings whose answer was forged; the backup's own answer is dropped. */
    private final Set<Asked> forged = new HashSet<>();

    private record CopyOn(String host, int zone) {}

    private record Asked(String host, long correlation) {}

    private TrustedOpenings(Environment world) {
        this.world = world;
    }

    static Transport of(Environment world, Transport transport) {
        return new TamperedNetwork(transport, new TrustedOpenings(world));
    }

    @Override
    public boolean arrives(Link link, ByteBuf frame) {
        if (is(frame, Frame.KIND_REPLY, MessageType.REPLICATE)) {
            ByteBuf in = payload(frame);
            for (int left = in.readUnsignedShortLE(); left > 0; left--) {
                CopyState state = CopyState.read(in);
                if (state.result() == CopyResult.OK) {
                    held.merge(new CopyOn(link.host(), state.zone()), state.lastSequence(), Math::max);
                }
            }
        } else if (is(frame, Frame.KIND_REPLY, MessageType.OPEN_COPIES.code())) {
            Asked asked = new Asked(link.host(), correlation(frame));
            if (forged.remove(asked)) {
                return false;
            }
            open.remove(asked);
            MessageType.OPEN_COPIES.readReply(payload(frame)).copies().stream()
                    .filter(state -> state.result() == CopyResult.OK)
                    .forEach(state -> held.put(new CopyOn(link.host(), state.zone()), state.lastSequence()));
        }
        return true;
    }

    @Override
    public boolean leaves(Link link, ByteBuf frame) {
        if (is(frame, Frame.KIND_REQUEST, MessageType.OPEN_COPIES.code())) {
            OpenCopies order = MessageType.OPEN_COPIES.readRequest(payload(frame));
            if (order.copies().stream().anyMatch(copy -> isCut(link.host(), copy))) {
                Asked asked = new Asked(link.host(), correlation(frame));
                open.put(asked, order);
                world.scheduler().schedule(PATIENCE_NANOS, () -> answerFor(asked, link));
            }
        }
        return true;
    }

    private boolean isCut(String host, OpenCopies.Opening copy) {
        return !copy.filling() && copy.baseSequence() < heldBefore(host, copy);
    }

    private long heldBefore(String host, OpenCopies.Opening copy) {
        return held.getOrDefault(new CopyOn(host, copy.zone()), copy.baseSequence());
    }

    private void answerFor(Asked asked, Link link) {
        OpenCopies order = open.remove(asked);
        if (order == null) {
            return;
        }
        forged.add(asked);
        List<CopyState> states = order.copies().stream()
                .map(copy -> new CopyState(
                        copy.zone(),
                        copy.filling() ? CopyResult.BUSY : CopyResult.OK,
                        copy.epoch(),
                        Math.max(copy.baseSequence(), heldBefore(asked.host(), copy))))
                .toList();
        link.deliver(
                frame(Frame.KIND_REPLY, MessageType.OPEN_COPIES.code(), asked.correlation(), new CopyStates(states)));
    }
}
