package dev.granary.net.message;

import dev.granary.net.FrameException;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.HostAddress;
import dev.granary.schema.U16;
import io.netty.buffer.ByteBuf;
import java.util.List;

/** Ranges: who owns which chunks. */
public final class RangeMessages {

    private RangeMessages() {}

    /**
     * Asks who owns a CID. Goes to the super-peer whose arc holds the CID's NID; another one redirects.
     */
    public record Lookup(long cid) implements Message {}

    /**
     * The whole range that a CID lies in.
     *
     * @param range with owner and epoch
     * @param ownerAddress where the owner serves
     * @param ringEpoch of the answering super-peer
     */
    public record LookupReply(CidRange range, HostAddress ownerAddress, long ringEpoch) implements Message {}

    /**
     * Asks who owns a CID, once the owner has changed. Goes where {@link Lookup} goes, and has the same reply: as soon
     * as the chunk is served, or known to be lost, at a higher epoch than the caller has seen, and in any case when the
     * wait is over.
     *
     * @param cid that the caller could not reach
     * @param seenEpoch of the placement at which it could not
     * @param waitNanos how long the answer may be held back at most
     */
    public record AwaitOwner(long cid, long seenEpoch, long waitNanos) implements Message {}

    /**
     * Ranges.
     *
     * @param nextCid the CID from which to ask next, 0 when there is nothing more
     * @param ranges ascending
     */
    public record RangeList(long nextCid, List<CidRange> ranges) implements Message {

        public RangeList {
            ranges = List.copyOf(ranges);
        }
    }

    /**
     * A restarted storage peer asks its super-peer which of the chunks that it created have other owners now.
     *
     * @param nid the NID of the storage peer
     * @param fromCid the first CID of the answer is at least this one
     */
    public record AwayRanges(@U16 int nid, long fromCid) implements Message {}

    /**
     * Stands behind the reply to a get, put or delete when some of the chunks are {@link ChunkStatus#WRONG_OWNER}: who
     * has them, as far as the answering peer knows, so that the caller need not ask a super-peer. It is a list of
     * ranges and may be missing.
     */
    public static final class MovedRanges {

        /** The most ranges of one reply. */
        public static final int MAX_RANGES = 64;

        private MovedRanges() {}

        /** Appends them. */
        public static void write(ByteBuf out, List<CidRange> ranges) {
            RecordBytes.write(new Ranges(ranges), out);
        }

        /**
         * Reads what is left of a reply; nothing when it has none.
         *
         * @throws FrameException when what is left is not a list of ranges
         */
        public static List<CidRange> read(ByteBuf in) {
            if (!in.isReadable()) {
                return List.of();
            }
            try {
                return RecordBytes.read(Ranges.class, in).ranges();
            } catch (IllegalArgumentException e) {
                throw new FrameException("a list of ranges is malformed: " + e.getMessage(), e);
            }
        }

        /** The list as a record. */
        public record Ranges(List<CidRange> ranges) {
            public Ranges {
                ranges = List.copyOf(ranges);
            }
        }
    }

    /**
     * The storage peers that ever made CIDs in a piece of the ring.
     *
     * @param creators by NID
     */
    public record CreatorList(List<Creator> creators) implements Message {

        /**
         * A storage peer.
         *
         * @param nid its NID
         * @param firstLid the first LID of its present incarnation: what it owns of the LIDs below, without a zone,
         *     is lost
         * @param lidLimit no LID from here on was ever given
         * @param backup the fingerprint of the backup that its chunks come or came out of, 0 for none
         */
        public record Creator(@U16 int nid, long firstLid, long lidLimit, long backup) {}

        public CreatorList {
            creators = List.copyOf(creators);
        }
    }

    /**
     * Asks the super-peer of a creator's arc for all ranges of its chunks, whoever owns them.
     *
     * @param nid the creator
     * @param fromCid from here on
     */
    public record CreatorRanges(@U16 int nid, long fromCid) implements Message {}

    /**
     * Asks the super-peer of an arc which storage peers ever made CIDs in a piece of it, including those that are gone.
     *
     * @param fromExclusive where the piece begins
     * @param toInclusive where it ends
     */
    public record ListCreators(@U16 int fromExclusive, @U16 int toInclusive) implements Message {}
}
