package dev.granary.storage.data;

import dev.granary.storage.replicate.ZoneContent;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/**
 * The requests that were carried out for a span of chunks, and the tokens of locks that were seen, as they travel with
 * it (SAFETY rule "retries", ADR 0094, 0097). Thread-safe.
 */
public final class RequestLuggage implements LearntRequests {

    private final CompletedRequests completed;
    private final LockTokens tokens;

    RequestLuggage(CompletedRequests completed, LockTokens tokens) {
        this.completed = completed;
        this.tokens = tokens;
    }

    /** Appends the tokens of locks that were seen for a span. */
    public void packTokens(long startCid, long endCidInclusive, ByteBuf out) {
        tokens.write(startCid, endCidInclusive, out);
    }

    /** Takes tokens of locks over, of chunks of this creator. */
    public void unpackTokens(int creatorNid, ByteBuf in) {
        tokens.read(creatorNid, in);
    }

    /**
     * Packs what is known of the requests for a span, of which none may be going on.
     *
     * @param partBytes about how large a part may become
     * @return parts of a message as {@link dev.granary.net.message.MigrationMessages.MigrationData} draws them, count
     *     first; none when there is nothing to take along
     */
    public List<ByteBuf> pack(long startCid, long endCidInclusive, int partBytes) {
        Packer packer = new Packer(partBytes);
        completed.visit(startCid, endCidInclusive, packer);
        packer.finish();
        return packer.parts;
    }

    /**
     * Takes a part over.
     *
     * @throws IllegalArgumentException when it is malformed
     * @throws IndexOutOfBoundsException when it is cut off
     */
    public void unpack(ByteBuf part) {
        TravellingRequests.read(part, part.readIntLE(), completed.learner());
    }

    /** Tells everything for a span as it stands in logs. */
    void tell(long startCid, long endCidInclusive, ZoneContent.Visitor visitor) {
        LoggedCompletion logged = new LoggedCompletion();
        completed.visit(startCid, endCidInclusive, new TravellingRequests.Visitor() {
            @Override
            public void completed(long clientId, long sequence, Completion completion) {
                logged.set(completion);
                visitor.request(clientId, sequence, 0, logged.bytes(), logged.sizeBytes());
            }

            @Override
            public void unknown(long clientId, long sequence) {
                logged.set(LoggedCompletion.UNKNOWN);
                visitor.request(clientId, sequence, 0, logged.bytes(), logged.sizeBytes());
            }

            @Override
            public void floor(long clientId, long sequence) {
                logged.set(LoggedCompletion.FLOOR);
                visitor.request(clientId, sequence, 0, logged.bytes(), logged.sizeBytes());
            }
        });
        tokens.forEach(startCid, endCidInclusive, visitor::token);
    }

    /**
     * Takes over what a log says of a request.
     *
     * @param ackedSequence the client has seen the answers up to this one
     * @param bytes hold the completion as its owner logged it, valid during the call
     * @throws IllegalArgumentException when they are none
     */
    @Override
    public void request(
            long clientId, long requestSequence, long ackedSequence, MemorySegment bytes, long offset, int length) {
        if (requestSequence > ackedSequence) {
            byte[] logged = bytes.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
            LoggedCompletion.read(clientId, requestSequence, logged, completed.learner());
        }
    }

    /** Takes over a token that a log says was shown to a chunk. */
    @Override
    public void token(long cid, long token) {
        tokens.learn(cid, token);
    }

    private static final class Packer implements TravellingRequests.Visitor {

        private final int partBytes;
        private final List<ByteBuf> parts = new ArrayList<>();
        private ByteBuf part = empty();
        private int count;

        private Packer(int partBytes) {
            this.partBytes = partBytes;
        }

        private static ByteBuf empty() {
            return Unpooled.buffer().writeIntLE(0);
        }

        @Override
        public void completed(long clientId, long sequence, Completion completion) {
            TravellingRequests.writeCompleted(part, clientId, sequence, completion);
            added();
        }

        @Override
        public void unknown(long clientId, long sequence) {
            TravellingRequests.writeUnknown(part, clientId, sequence);
            added();
        }

        @Override
        public void floor(long clientId, long sequence) {
            TravellingRequests.writeFloor(part, clientId, sequence);
            added();
        }

        private void added() {
            count++;
            if (part.readableBytes() >= partBytes) {
                finish();
            }
        }

        private void finish() {
            if (count > 0) {
                parts.add(part.setIntLE(0, count));
                part = empty();
                count = 0;
            }
        }
    }
}
