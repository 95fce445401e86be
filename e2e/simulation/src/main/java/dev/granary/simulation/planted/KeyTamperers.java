package dev.granary.simulation.planted;

import static dev.granary.simulation.planted.TamperedNetwork.correlation;
import static dev.granary.simulation.planted.TamperedNetwork.frame;
import static dev.granary.simulation.planted.TamperedNetwork.is;
import static dev.granary.simulation.planted.TamperedNetwork.payload;

import dev.granary.env.Environment;
import dev.granary.log.batch.BatchWriter;
import dev.granary.net.Frame;
import dev.granary.net.Transport;
import dev.granary.net.message.MessageType;
import dev.granary.overlay.Cid;
import dev.granary.overlay.SlotGroup;
import dev.granary.simulation.planted.TamperedNetwork.Link;
import dev.granary.simulation.planted.TamperedNetwork.Tamperer;
import io.netty.buffer.ByteBuf;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Networks that make storage peers do with keys what the safety rules forbid. */
final class KeyTamperers {

    /** One call in this many is carried out twice. */
    private static final int ONE_IN = 10;

    /** Where a call on a slot group has the number of watched keys, and where these begin. */
    private static final int WATCHED_OFFSET = 8;

    private static final int HEADER_BYTES = 12;

    /** The bit of an entry's first byte that says that a time follows (docs/formats/keyed-entries.md). */
    private static final int EXPIRES = 0x20;

    /** The bits of it that are 0 in the long form. */
    private static final int KEY_LENGTH = 0x1f;

    private static final int SHORT_EXPIRY_BYTES = 5;
    private static final int LONG_EXPIRY_BYTES = 6;

    private KeyTamperers() {}

    /** A backup answers that it holds entries of keys that it has thrown away. */
    static Transport holdingNothing(Environment world, Transport transport) {
        return ForgetfulLogs.logging(transport, WithoutKeys::new);
    }

    /** An owner gets some calls twice. */
    static Transport repeatingCalls(Environment world, Transport transport) {
        return new TamperedNetwork(transport, new Tamperer() {
            private int calls;

            @Override
            public boolean arrives(Link link, ByteBuf frame) {
                if (is(frame, Frame.KIND_REQUEST, MessageType.GROUP_CALL) && ++calls % ONE_IN == 0) {
                    ByteBuf call = payload(frame).copy();
                    link.deliver(frame(
                            Frame.KIND_REQUEST, MessageType.GROUP_CALL, Long.MAX_VALUE, out -> out.writeBytes(call)));
                }
                return true;
            }
        });
    }

    /** An owner does not look at the watched keys of calls. */
    static Transport ignoringWatches(Environment world, Transport transport) {
        return new TamperedNetwork(transport, new Tamperer() {
            @Override
            public boolean arrives(Link link, ByteBuf frame) {
                if (!is(frame, Frame.KIND_REQUEST, MessageType.GROUP_CALL)) {
                    return true;
                }
                ByteBuf call = payload(frame).copy();
                int watched = call.getIntLE(WATCHED_OFFSET);
                call.setIntLE(WATCHED_OFFSET, 0);
                ByteBuf head = call.readSlice(HEADER_BYTES);
                for (int i = 0; i < watched; i++) {
                    call.skipBytes(Long.BYTES);
                    call.skipBytes(call.readIntLE());
                }
                link.deliver(frame(
                        Frame.KIND_REQUEST, MessageType.GROUP_CALL, correlation(frame), out -> out.writeBytes(head)
                                .writeBytes(call)));
                return false;
            }
        });
    }

    /** A backup does not log when keys expire. */
    static Transport loggingNoExpiry(Environment world, Transport transport) {
        return ForgetfulLogs.logging(transport, WithoutExpiry::new);
    }

    private static final class WithoutKeys extends BatchCopier {

        WithoutKeys(BatchWriter writer) {
            super(writer);
        }

        @Override
        public void chunk(long cid, long epoch, long sequence, MemorySegment bytes, long offset, int length) {
            if (!SlotGroup.isGroup(Cid.nid(cid))) {
                super.chunk(cid, epoch, sequence, bytes, offset, length);
            }
        }
    }

    private static final class WithoutExpiry extends BatchCopier {

        private final BatchWriter writer;

        WithoutExpiry(BatchWriter writer) {
            super(writer);
            this.writer = writer;
        }

        @Override
        public void chunk(long cid, long epoch, long sequence, MemorySegment bytes, long offset, int length) {
            byte head = SlotGroup.isGroup(Cid.nid(cid)) ? bytes.get(ValueLayout.JAVA_BYTE, offset) : 0;
            if ((head & EXPIRES) == 0) {
                super.chunk(cid, epoch, sequence, bytes, offset, length);
                return;
            }
            boolean isShort = (head & KEY_LENGTH) != 0;
            int before = isShort ? 1 : 2;
            int expiryBytes = isShort ? SHORT_EXPIRY_BYTES : LONG_EXPIRY_BYTES;
            byte[] entry = new byte[length - expiryBytes];
            MemorySegment.copy(bytes, ValueLayout.JAVA_BYTE, offset, entry, 0, before);
            entry[0] = (byte) (head & ~EXPIRES);
            MemorySegment.copy(
                    bytes, ValueLayout.JAVA_BYTE, offset + before + expiryBytes, entry, before, entry.length - before);
            writer.chunk(cid, MemorySegment.ofArray(entry), 0, entry.length);
        }
    }
}
