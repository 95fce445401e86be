package dev.granary.simulation.planted;

import static dev.granary.simulation.planted.TamperedNetwork.correlation;
import static dev.granary.simulation.planted.TamperedNetwork.frame;
import static dev.granary.simulation.planted.TamperedNetwork.is;
import static dev.granary.simulation.planted.TamperedNetwork.payload;

import dev.granary.env.Environment;
import dev.granary.net.Frame;
import dev.granary.net.Transport;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.MutationHeader;
import dev.granary.simulation.planted.TamperedNetwork.Link;
import dev.granary.simulation.planted.TamperedNetwork.Tamperer;
import io.netty.buffer.ByteBuf;

/** Networks that make owners answer clients what the safety rules forbid. */
final class DishonestOwners {

    /** One answer in this many is wrong. */
    private static final int ONE_IN = 10;

    /** The flag of a put or delete that says that tokens follow. */
    private static final int FLAG_TOKENS = 2;

    /** The offset of the flags and the count of chunks in a put. */
    private static final int FLAGS_OFFSET = 24;

    /** The status of a chunk that finds no room for its new size. */
    private static final int STATUS_NO_ROOM = 4;

    private DishonestOwners() {}

    /** Some puts are refused for want of room after they have been carried out. */
    static Transport refusingAfterwards(Environment world, Transport transport) {
        return new TamperedNetwork(transport, new Tamperer() {
            private int puts;

            @Override
            public boolean leaves(Link link, ByteBuf frame) {
                if (!is(frame, Frame.KIND_REPLY, MessageType.PUT) || ++puts % ONE_IN != 0) {
                    return true;
                }
                ByteBuf reply = payload(frame).copy();
                int count = reply.getIntLE(0);
                for (int i = 0; i < count; i++) {
                    int at = Integer.BYTES + i;
                    reply.setByte(at, reply.getByte(at) == 0 ? STATUS_NO_ROOM : reply.getByte(at));
                }
                link.send(frame(Frame.KIND_REPLY, MessageType.PUT, correlation(frame), out -> out.writeBytes(reply)));
                return false;
            }
        });
    }

    /** The owner does not look at the tokens that puts and fences carry. */
    static Transport ignoringTokens(Environment world, Transport transport) {
        return new TamperedNetwork(transport, new Tamperer() {
            @Override
            public boolean arrives(Link link, ByteBuf frame) {
                if (!is(frame, Frame.KIND_REQUEST, MessageType.PUT)) {
                    return true;
                }
                ByteBuf request = payload(frame).copy();
                if ((request.getIntLE(FLAGS_OFFSET) & FLAG_TOKENS) == 0) {
                    return true;
                }
                int count = request.getIntLE(FLAGS_OFFSET + Integer.BYTES);
                int tokens = MutationHeader.BYTES + count * (Long.BYTES + Integer.BYTES);
                request.setZero(tokens, count * Long.BYTES);
                link.deliver(
                        frame(Frame.KIND_REQUEST, MessageType.PUT, correlation(frame), out -> out.writeBytes(request)));
                return false;
            }
        });
    }

    /** An owner answers that a chunk which is about to get a name is on disks, and has done nothing for that. */
    static Transport fencingNothing(Environment world, Transport transport) {
        return new TamperedNetwork(transport, new Tamperer() {
            @Override
            public boolean arrives(Link link, ByteBuf frame) {
                if (!is(frame, Frame.KIND_REQUEST, MessageType.FENCE)) {
                    return true;
                }
                ByteBuf request = payload(frame);
                int count = request.getIntLE(request.readerIndex() + Integer.BYTES);
                int tokens = request.readerIndex() + 2 * Integer.BYTES + count * Long.BYTES;
                for (int i = 0; i < count; i++) {
                    if (request.getLongLE(tokens + i * Long.BYTES) != 0) {
                        return true; // the fence of a client lock
                    }
                }
                link.send(frame(Frame.KIND_REPLY, MessageType.FENCE, correlation(frame), out -> out.writeIntLE(count)
                        .writeZero(count)));
                return false;
            }
        });
    }
}
