package dev.granary.simulation.planted;

import static dev.granary.simulation.planted.TamperedNetwork.correlation;
import static dev.granary.simulation.planted.TamperedNetwork.frame;
import static dev.granary.simulation.planted.TamperedNetwork.is;
import static dev.granary.simulation.planted.TamperedNetwork.payload;

import dev.granary.env.Environment;
import dev.granary.env.Scheduler;
import dev.granary.net.Frame;
import dev.granary.net.Transport;
import dev.granary.net.message.Blob;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.MutationHeader;
import dev.granary.simulation.planted.TamperedNetwork.Link;
import dev.granary.simulation.planted.TamperedNetwork.Tamperer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * An owner's network that answers gets with values whose replication is outstanding. It delays what the owner sends to
 * backups, so that there are such values.
 */
final class HeldValues implements Tamperer {

    private static final long UNDER_WAY_NANOS = 80_000_000;

    /** The size of a get of one chunk: flags, count and one CID. */
    private static final int GET_BYTES = 2 * Integer.BYTES + Long.BYTES;

    private final Scheduler scheduler;

    /** Puts of one chunk each that are not answered yet. */
    private final Map<Asked, Held> open = new LinkedHashMap<>();

    /** By chunk, the newest of these puts that was sent to backups; gets are answered with its value. */
    private final Map<Long, Held> shown = new LinkedHashMap<>();

    private record Asked(String host, long correlation) {}

    private record Held(long cid, Blob value) {}

    private HeldValues(Scheduler scheduler) {
        this.scheduler = scheduler;
    }

    static Transport of(Environment world, Transport transport) {
        return new TamperedNetwork(transport, new HeldValues(world.scheduler()));
    }

    @Override
    public boolean arrives(Link link, ByteBuf frame) {
        if (is(frame, Frame.KIND_REQUEST, MessageType.PUT)) {
            ByteBuf in = payload(frame);
            MutationHeader header = MutationHeader.read(in);
            if (header.count() == 1 && header.flags() == 0) {
                long cid = in.readLongLE();
                in.skipBytes(Integer.BYTES);
                open.put(new Asked(link.host(), correlation(frame)), new Held(cid, new Blob(ByteBufUtil.getBytes(in))));
            }
            return true;
        }
        return !is(frame, Frame.KIND_REQUEST, MessageType.GET) || !answered(link, frame);
    }

    private boolean answered(Link link, ByteBuf frame) {
        ByteBuf in = payload(frame);
        Held held =
                in.readableBytes() == GET_BYTES ? shown.get(in.getLongLE(in.readerIndex() + 2 * Integer.BYTES)) : null;
        if (held == null) {
            return false;
        }
        link.send(frame(Frame.KIND_REPLY, MessageType.GET, correlation(frame), out -> out.writeIntLE(1)
                .writeIntLE(held.value.bytes().length)
                .writeBytes(held.value.bytes())));
        return true;
    }

    @Override
    public boolean leaves(Link link, ByteBuf frame) {
        if (is(frame, Frame.KIND_REQUEST, MessageType.REPLICATE)) {
            open.values().forEach(held -> shown.put(held.cid, held));
            ByteBuf later = frame.retainedDuplicate();
            scheduler.schedule(UNDER_WAY_NANOS, () -> link.send(later));
            return false;
        }
        if (Frame.type(frame) == MessageType.PUT && Frame.kind(frame) != Frame.KIND_REQUEST) {
            Held held = open.remove(new Asked(link.host(), correlation(frame)));
            if (held != null) {
                shown.remove(held.cid, held);
            }
        }
        return true;
    }
}
