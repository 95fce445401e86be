package dev.granary.simulation.planted;

import static dev.granary.simulation.planted.TamperedNetwork.correlation;
import static dev.granary.simulation.planted.TamperedNetwork.frame;
import static dev.granary.simulation.planted.TamperedNetwork.is;
import static dev.granary.simulation.planted.TamperedNetwork.payload;

import dev.granary.env.Environment;
import dev.granary.net.Frame;
import dev.granary.net.Transport;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.ReplicationMessages.SealedCopies;
import dev.granary.simulation.planted.TamperedNetwork.Link;
import dev.granary.simulation.planted.TamperedNetwork.Tamperer;
import io.netty.buffer.ByteBuf;
import java.util.function.UnaryOperator;

/** Networks that make storage peers say wrong things about copies or disks. */
final class ForgetfulBackups {

    /** The offset of the flags in a request to replicate. */
    private static final int FLAGS_OFFSET = 18;

    /** For how long after its start a storage peer behaves as if it had not read its disk. */
    private static final long READING_NANOS = 2_000_000_000L;

    private ForgetfulBackups() {}

    /** A request to sync is lost, and counts as answered. */
    static Transport takingSyncsForGranted(Environment world, Transport transport) {
        return new TamperedNetwork(transport, new Tamperer() {
            @Override
            public boolean leaves(Link link, ByteBuf frame) {
                if (!is(frame, Frame.KIND_REQUEST, MessageType.REPLICATE)
                        || payload(frame).getByte(FLAGS_OFFSET) == 0) {
                    return true;
                }
                ByteBuf request = payload(frame).copy();
                request.setByte(FLAGS_OFFSET, 0);
                link.send(frame(
                        Frame.KIND_REQUEST, MessageType.REPLICATE, correlation(frame), out -> out.writeBytes(request)));
                return false;
            }
        });
    }

    /** A backup without a copy says that it has a filled one with nothing in it. */
    static Transport countingEmptyDisks(Environment world, Transport transport) {
        return sealed(
                transport,
                copy -> copy.held()
                        ? copy
                        : new SealedCopies.Copy(
                                copy.zone(), true, copy.fencedEpoch() - 1, 0, 0, true, true, copy.fencedEpoch(), 0));
    }

    /** A backup that has just started says that it has no copies. */
    static Transport forgettingAtTheStart(Environment world, Transport transport) {
        long startNanos = world.clock().nanoTime();
        return sealed(
                transport,
                copy -> world.clock().nanoTime() - startNanos > READING_NANOS
                        ? copy
                        : new SealedCopies.Copy(copy.zone(), false, 0, 0, 0, false, false, copy.fencedEpoch(), 0));
    }

    private static Transport sealed(Transport transport, UnaryOperator<SealedCopies.Copy> change) {
        return new TamperedNetwork(transport, new Tamperer() {
            @Override
            public boolean leaves(Link link, ByteBuf frame) {
                if (!is(frame, Frame.KIND_REPLY, MessageType.SEAL_ZONES.code())) {
                    return true;
                }
                SealedCopies told = new SealedCopies(MessageType.SEAL_ZONES.readReply(payload(frame)).copies().stream()
                        .map(change)
                        .toList());
                link.send(frame(Frame.KIND_REPLY, MessageType.SEAL_ZONES.code(), correlation(frame), told));
                return false;
            }
        });
    }
}
