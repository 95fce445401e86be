package dev.granary.simulation.planted;

import static dev.granary.simulation.planted.TamperedNetwork.correlation;
import static dev.granary.simulation.planted.TamperedNetwork.frame;
import static dev.granary.simulation.planted.TamperedNetwork.is;
import static dev.granary.simulation.planted.TamperedNetwork.payload;

import dev.granary.env.Environment;
import dev.granary.env.Scheduler;
import dev.granary.net.Frame;
import dev.granary.net.Transport;
import dev.granary.net.message.MessageType;
import dev.granary.simulation.planted.TamperedNetwork.Link;
import dev.granary.simulation.planted.TamperedNetwork.Tamperer;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * An owner's network that answers gets of keys with values whose replication is outstanding. It delays what the owner
 * sends to backups, so that there are such values.
 */
final class HeldKeys implements Tamperer {

    private static final long UNDER_WAY_NANOS = 150_000_000;

    /** The bytes of a call before its requests, if it watches nothing. */
    private static final int HEADER_BYTES = 12;

    // Lines of a request: the number of arguments, then the length and the text of each.
    private static final int NAME_LINE = 2;
    private static final int KEY_LINE = 4;
    private static final int VALUE_LINE = 6;
    private static final int LINES_OF_GET = 6;
    private static final int LINES_OF_SET = 8;

    private final Scheduler scheduler;

    /** Sets that are not answered yet. */
    private final Map<Asked, Held> open = new HashMap<>();

    private record Asked(String host, long correlation) {}

    private record Held(String key, String value) {}

    private HeldKeys(Scheduler scheduler) {
        this.scheduler = scheduler;
    }

    static Transport of(Environment world, Transport transport) {
        return new TamperedNetwork(transport, new HeldKeys(world.scheduler()));
    }

    @Override
    public boolean arrives(Link link, ByteBuf frame) {
        if (!is(frame, Frame.KIND_REQUEST, MessageType.GROUP_CALL)) {
            return true;
        }
        ByteBuf in = payload(frame).skipBytes(HEADER_BYTES);
        String[] lines = in.toString(StandardCharsets.ISO_8859_1).split("\r\n", -1);
        if (lines.length == LINES_OF_SET && lines[NAME_LINE].equals("SET")) {
            open.put(new Asked(link.host(), correlation(frame)), new Held(lines[KEY_LINE], lines[VALUE_LINE]));
        } else if (lines.length == LINES_OF_GET && lines[NAME_LINE].equals("GET")) {
            for (Held held : open.values()) {
                if (held.key.equals(lines[KEY_LINE])) {
                    String reply = "$" + held.value.length() + "\r\n" + held.value + "\r\n";
                    link.send(
                            frame(Frame.KIND_REPLY, MessageType.GROUP_CALL, correlation(frame), out -> out.writeByte(0)
                                    .writeCharSequence(reply, StandardCharsets.ISO_8859_1)));
                    return false;
                }
            }
        }
        return true;
    }

    @Override
    public boolean leaves(Link link, ByteBuf frame) {
        if (is(frame, Frame.KIND_REQUEST, MessageType.REPLICATE)) {
            ByteBuf later = frame.retainedDuplicate();
            scheduler.schedule(UNDER_WAY_NANOS, () -> link.send(later));
            return false;
        }
        if (Frame.type(frame) == MessageType.GROUP_CALL && Frame.kind(frame) != Frame.KIND_REQUEST) {
            open.remove(new Asked(link.host(), correlation(frame)));
        }
        return true;
    }
}
