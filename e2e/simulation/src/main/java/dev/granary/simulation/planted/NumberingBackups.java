package dev.granary.simulation.planted;

import static dev.granary.simulation.planted.TamperedNetwork.correlation;
import static dev.granary.simulation.planted.TamperedNetwork.frame;
import static dev.granary.simulation.planted.TamperedNetwork.is;
import static dev.granary.simulation.planted.TamperedNetwork.payload;

import dev.granary.env.Environment;
import dev.granary.log.batch.Batch;
import dev.granary.log.batch.BatchWriter;
import dev.granary.net.Frame;
import dev.granary.net.Transport;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.ReplicationMessages.CopyResult;
import dev.granary.net.message.ReplicationMessages.CopyState;
import dev.granary.net.message.ReplicationMessages.Replicate;
import dev.granary.simulation.planted.TamperedNetwork.Link;
import dev.granary.simulation.planted.TamperedNetwork.Tamperer;
import io.netty.buffer.ByteBuf;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A network through which a backup numbers changes itself: each change that arrives gets the backup's next sequence. A
 * change that arrives twice gets two sequences, and all changes behind it get others than on other backups.
 */
final class NumberingBackups implements Tamperer {

    /** By zone, the sequence of its last change, as this backup counts. */
    private final Map<Integer, Long> last = new HashMap<>();

    private NumberingBackups() {}

    static Transport of(Environment world, Transport transport) {
        return new TamperedNetwork(transport, new NumberingBackups());
    }

    @Override
    public boolean arrives(Link link, ByteBuf frame) {
        if (!is(frame, Frame.KIND_REQUEST, MessageType.REPLICATE)) {
            return true;
        }
        ByteBuf in = payload(frame);
        Replicate header = Replicate.read(in);
        List<ReplicatedPart> parts = ReplicatedPart.readAll(header, in);
        link.deliver(frame(Frame.KIND_REQUEST, MessageType.REPLICATE, correlation(frame), out -> {
            header.writeTo(out);
            parts.forEach(part -> part.writeTo(out, this::number));
        }));
        return false;
    }

    private void number(Batch batch, BatchWriter writer) {
        long sequence = last.getOrDefault(batch.zone(), batch.sequence() - 1) + 1;
        last.put(batch.zone(), sequence);
        writer.start(batch.zone(), batch.epoch(), sequence);
        batch.forEach(new BatchCopier(writer));
    }

    /** Notes how far the backup is when it opens a copy or has refused something. */
    @Override
    public boolean leaves(Link link, ByteBuf frame) {
        if (is(frame, Frame.KIND_REPLY, MessageType.REPLICATE)) {
            ByteBuf in = payload(frame);
            for (int left = in.readUnsignedShortLE(); left > 0; left--) {
                CopyState state = CopyState.read(in);
                if (state.result() != CopyResult.OK) {
                    last.put(state.zone(), state.lastSequence());
                }
            }
        } else if (is(frame, Frame.KIND_REPLY, MessageType.OPEN_COPIES.code())) {
            MessageType.OPEN_COPIES
                    .readReply(payload(frame))
                    .copies()
                    .forEach(state -> last.put(state.zone(), state.lastSequence()));
        }
        return true;
    }
}
