package dev.granary.simulation.planted;

import static dev.granary.simulation.planted.TamperedNetwork.frame;
import static dev.granary.simulation.planted.TamperedNetwork.is;
import static dev.granary.simulation.planted.TamperedNetwork.payload;

import dev.granary.env.Environment;
import dev.granary.env.Scheduler;
import dev.granary.log.batch.Batch;
import dev.granary.log.batch.BatchWriter;
import dev.granary.net.Frame;
import dev.granary.net.Transport;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.ReplicationMessages.CopyResult;
import dev.granary.net.message.ReplicationMessages.CopyState;
import dev.granary.net.message.ReplicationMessages.OpenCopies;
import dev.granary.net.message.ReplicationMessages.Replicate;
import dev.granary.simulation.planted.TamperedNetwork.Link;
import dev.granary.simulation.planted.TamperedNetwork.Tamperer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A backup's network that makes it take what an owner sends although another owner has opened its copy since. It delays
 * what owners send; if the sender is gone meanwhile, this arrives after the next owner has opened the copy.
 */
final class LateOwners implements Tamperer {

    private static final long UNDER_WAY_NANOS = 150_000_000;

    private final Scheduler scheduler;

    /** By zone, the changes in flight to it. */
    private final Map<Integer, List<Late>> late = new HashMap<>();

    /** By host and correlation, the openings that owners have asked for. */
    private final Map<Asked, OpenCopies> openings = new HashMap<>();

    private record Asked(String host, long correlation) {}

    private record Late(int ownerNid, Replicate header, ReplicatedPart part) {}

    private LateOwners(Scheduler scheduler) {
        this.scheduler = scheduler;
    }

    static Transport of(Environment world, Transport transport) {
        return new TamperedNetwork(transport, new LateOwners(world.scheduler()));
    }

    @Override
    public boolean arrives(Link link, ByteBuf frame) {
        if (is(frame, Frame.KIND_REQUEST, MessageType.OPEN_COPIES.code())) {
            openings.put(
                    new Asked(link.host(), TamperedNetwork.correlation(frame)),
                    MessageType.OPEN_COPIES.readRequest(payload(frame)));
            return true;
        }
        if (!is(frame, Frame.KIND_REQUEST, MessageType.REPLICATE)) {
            return true;
        }
        ByteBuf in = payload(frame);
        Replicate header = Replicate.read(in);
        List<Late> sent = ReplicatedPart.readAll(header, in).stream()
                .filter(part -> !part.batches().isEmpty())
                .map(part -> new Late(header.ownerNid(), header, part))
                .toList();
        sent.forEach(each -> late.computeIfAbsent(each.part.zone(), zone -> new ArrayList<>())
                .add(each));
        if (sent.isEmpty()) {
            return true;
        }
        ByteBuf later = Unpooled.wrappedBuffer(ByteBufUtil.getBytes(frame));
        scheduler.schedule(UNDER_WAY_NANOS, () -> {
            if (link.isOpen()) {
                sent.forEach(each ->
                        late.getOrDefault(each.part.zone(), new ArrayList<>()).remove(each));
                link.deliver(later);
            }
        });
        return false;
    }

    @Override
    public boolean leaves(Link link, ByteBuf frame) {
        if (is(frame, Frame.KIND_REPLY, MessageType.OPEN_COPIES.code())) {
            OpenCopies order = openings.remove(new Asked(link.host(), TamperedNetwork.correlation(frame)));
            List<CopyState> states =
                    MessageType.OPEN_COPIES.readReply(payload(frame)).copies();
            for (int i = 0; order != null && i < states.size(); i++) {
                if (states.get(i).result() == CopyResult.OK) {
                    opened(link, order, order.copies().get(i));
                }
            }
        }
        return true;
    }

    private void opened(Link link, OpenCopies order, OpenCopies.Opening copy) {
        List<Late> of = late.remove(copy.zone());
        if (of == null || copy.filling()) {
            return;
        }
        for (Late each : of) {
            if (each.ownerNid != order.ownerNid() && each.part.epoch() < copy.epoch()) {
                long epoch = copy.epoch(); // the bug: the old owner's epoch is replaced by the new one
                link.deliver(frame(Frame.KIND_REQUEST, MessageType.REPLICATE, Long.MAX_VALUE, out -> {
                    new Replicate(each.header.clusterId(), each.ownerNid, 0, 1).writeTo(out);
                    new ReplicatedPart(each.part.zone(), epoch, each.part.acknowledged(), each.part.batches())
                            .writeTo(out, (batch, writer) -> raise(batch, epoch, writer));
                }));
            }
        }
    }

    private static void raise(Batch batch, long epoch, BatchWriter writer) {
        writer.start(batch.zone(), epoch, batch.sequence());
        batch.forEach(new BatchCopier(writer));
    }
}
