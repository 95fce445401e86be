package dev.granary.storage.data;

import dev.granary.net.message.ChunkStatus;
import dev.granary.net.message.MigrationMessages.MigrationData;
import io.netty.buffer.ByteBuf;

/** How completed requests stand in a message that takes them along with their chunks: {@link MigrationData}. */
final class TravellingRequests {

    private TravellingRequests() {}

    /** What comes out of such a message. */
    interface Visitor {

        void completed(long clientId, long sequence, Completion completion);

        /** Nobody knows whether the request was carried out. */
        void unknown(long clientId, long sequence);

        /** Nothing of the client may be carried out up to this sequence. */
        void floor(long clientId, long sequence);
    }

    static void writeCompleted(ByteBuf out, long clientId, long sequence, Completion completion) {
        long[] cids = completion.cids();
        out.writeLongLE(clientId).writeLongLE(sequence).writeIntLE(cids.length);
        for (long cid : cids) {
            out.writeLongLE(cid);
        }
        out.writeBytes(completion.answer());
    }

    static void writeUnknown(ByteBuf out, long clientId, long sequence) {
        out.writeLongLE(clientId).writeLongLE(sequence).writeIntLE(MigrationData.UNKNOWN);
    }

    static void writeFloor(ByteBuf out, long clientId, long sequence) {
        out.writeLongLE(clientId).writeLongLE(sequence).writeIntLE(MigrationData.FLOOR);
    }

    /**
     * Reads {@code count} completion records.
     *
     * @throws IllegalArgumentException when the bytes are not completion records
     */
    static void read(ByteBuf in, int count, Visitor visitor) {
        for (int i = 0; i < count; i++) {
            long clientId = in.readLongLE();
            long sequence = in.readLongLE();
            int chunks = in.readIntLE();
            switch (chunks) {
                case MigrationData.FLOOR -> visitor.floor(clientId, sequence);
                case MigrationData.UNKNOWN -> visitor.unknown(clientId, sequence);
                default -> visitor.completed(clientId, sequence, readCompletion(in, chunks));
            }
        }
    }

    private static Completion readCompletion(ByteBuf in, int chunks) {
        if (chunks < 0 || (long) chunks * (Long.BYTES + 1) > in.readableBytes()) {
            throw new IllegalArgumentException(
                    "a request of " + chunks + " chunks in " + in.readableBytes() + " bytes");
        }
        long[] cids = new long[chunks];
        for (int i = 0; i < chunks; i++) {
            cids[i] = in.readLongLE();
        }
        byte[] statuses = new byte[chunks];
        in.readBytes(statuses);
        for (byte status : statuses) {
            if (status < 0 || status == ChunkStatus.WRONG_OWNER) {
                throw new IllegalArgumentException("a completed request with the status " + status);
            }
        }
        return new Completion(statuses, cids);
    }
}
