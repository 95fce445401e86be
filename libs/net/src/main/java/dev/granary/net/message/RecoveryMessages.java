package dev.granary.net.message;

import dev.granary.net.message.ZoneMessages.ZonePlacement;
import dev.granary.net.message.ZoneMessages.ZoneRanges;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.HostAddress;
import dev.granary.schema.Coded;
import dev.granary.schema.I32;
import dev.granary.schema.Nullable;
import dev.granary.schema.U16;
import java.util.List;
import java.util.UUID;

/** Recovery of zones whose owner has ended, and of a ring that is lost. */
public final class RecoveryMessages {

    private RecoveryMessages() {}

    /**
     * A super-peer tells a storage peer to recover zones from its copies and become their owner. It repeats this as
     * long as the recoveries run; a repetition changes nothing and brings the progress. A zone that comes with a higher
     * epoch than before starts over. Answered with a {@link RunRecoveryReply}.
     *
     * @param candidateEpoch of the incarnation that is meant
     * @param zones at most a few hundred
     */
    public record RunRecovery(long candidateEpoch, List<Task> zones) implements Message {

        /**
         * A zone to be recovered.
         *
         * @param zone its id
         * @param epoch of this attempt: the zone's copies are sealed in it
         * @param lastSequence changes behind it were never acknowledged and do not count
         * @param members whose copies count, the candidate first
         * @param spans the CIDs that are in the zone now; whatever else its log has is another zone's
         * @param nextCid where to ask for more of them by {@link ZoneRanges}, 0 when these are all
         * @param acceptDamage whether the zone is to be recovered with what the candidate can read, if no member has a
         *     whole copy; otherwise the answer is {@link RunRecoveryReply.State#DAMAGED}
         */
        public record Task(
                @I32 int zone,
                long epoch,
                long lastSequence,
                List<Member> members,
                List<Span> spans,
                long nextCid,
                boolean acceptDamage) {

            public Task {
                members = List.copyOf(members);
                spans = List.copyOf(spans);
            }
        }

        /**
         * A storage peer with a copy.
         *
         * @param nid its NID
         * @param address where it serves
         */
        public record Member(@U16 int nid, HostAddress address) {}

        /**
         * Consecutive CIDs of one creator.
         *
         * @param startCid the first
         * @param endCidInclusive the last
         */
        public record Span(long startCid, long endCidInclusive) {}

        public RunRecovery {
            zones = List.copyOf(zones);
        }
    }

    /**
     * How far the recovery of zones is.
     *
     * @param zones in the order of the request
     */
    public record RunRecoveryReply(List<Progress> zones) implements Message {

        /** How far a zone is. Codes are part of the protocol. */
        public enum State implements Coded {
            /** It is being replayed, or waits for its turn. */
            RUNNING(0),
            /** It is in memory; the peer tells the arc so by {@link Recovered}. */
            DONE(1),
            /** There is no room for it: the super-peer must ask another in-sync backup. */
            NO_ROOM(2),
            /** It cannot be recovered here: the super-peer must ask another in-sync backup. */
            FAILED(3),
            /**
             * This peer cannot read the whole of its copy, and could not fetch another one; others may have a readable
             * one. Nothing is lost yet: the damage is accepted only on an order that says so.
             */
            DAMAGED(4);

            private final int code;

            State(int code) {
                this.code = code;
            }

            /** The number of the state on the wire. */
            @Override
            public int code() {
                return code;
            }
        }

        /**
         * A zone.
         *
         * @param zone its id
         * @param epoch of the attempt
         * @param state how far it is
         * @param chunks in memory so far
         * @param bytes of these chunks
         * @param note for people: why it failed, otherwise empty
         */
        public record Progress(@I32 int zone, long epoch, State state, long chunks, long bytes, String note) {}

        public RunRecoveryReply {
            zones = List.copyOf(zones);
        }
    }

    /**
     * A storage peer has a zone in memory that it was told to recover, and asks the creator's arc to make it the owner.
     * Answered with the {@link ZonePlacement} that holds now: whoever is the owner there at this epoch or a higher one
     * serves the zone, nobody else. Asking again changes nothing.
     *
     * @param zone its id
     * @param epoch of the attempt
     * @param nid the asking storage peer
     * @param nidEpoch of its incarnation
     * @param chunks that were recovered
     * @param bytes of these chunks
     * @param damaged whether something in the log could not be read and no other member had it
     */
    public record Recovered(
            @I32 int zone, long epoch, @U16 int nid, long nidEpoch, long chunks, long bytes, boolean damaged)
            implements Message {}

    /**
     * A person decides that a zone whose recovery waits for members is recovered from those copies that there are, and
     * that what only the others have is lost (SAFETY rule "bootstrap and restart"). Answered with the
     * {@link ZonePlacement} that holds now; the zone is lost when there is no copy at all.
     *
     * @param zone its id
     */
    public record RecoverZone(@I32 int zone) implements Message {}

    /**
     * Who a storage peer is and what it owns, as far as it knows.
     *
     * @param clusterId that its disk belongs to
     * @param nid of its disk
     * @param diskId its disk
     * @param incarnation of its process
     * @param epoch of the incarnation, 0 when it had no lease yet and its memory is empty
     * @param firstLid of the incarnation
     * @param lidLimit LIDs below it were reserved for it
     * @param greatestToken of all locks of its chunks that it was shown, 0 for none
     * @param leaseRemainingNanos how long its lease is still valid, 0 when it is not
     * @param leaseNanos how long its last lease was
     * @param ringEpoch of the ring that it knows, 0 for none
     * @param superPeers the NIDs of that ring
     * @param ringAddresses where they were
     * @param name for people
     * @param address where it serves the binary protocol
     * @param httpAddress where it serves HTTP
     * @param capacityBytes size of its chunk memory
     * @param machine the label of its machine, empty for none
     * @param failureZone the label of its failure zone, empty for none
     * @param moves migrations that it takes part in
     * @param nextCid the CID from which to ask next, 0 when there is nothing more
     * @param ranges that it owns, or knows others to own, ascending
     * @param redisAddress where it serves Redis clients; null when it does not
     */
    public record Holdings(
            UUID clusterId,
            @U16 int nid,
            UUID diskId,
            long incarnation,
            long epoch,
            long firstLid,
            long lidLimit,
            long greatestToken,
            long leaseRemainingNanos,
            long leaseNanos,
            long ringEpoch,
            List<@U16 Integer> superPeers,
            List<HostAddress> ringAddresses,
            String name,
            HostAddress address,
            HostAddress httpAddress,
            long capacityBytes,
            String machine,
            String failureZone,
            List<Move> moves,
            long nextCid,
            List<CidRange> ranges,
            @Nullable HostAddress redisAddress)
            implements Message {

        /**
         * A migration that has not ended for one of the two storage peers that take part.
         *
         * @param creatorNid who made the CIDs
         * @param number of the migration
         * @param incoming whether this peer is the target
         * @param otherNid the other peer
         * @param startCid the first chunk
         * @param endCidInclusive the last chunk
         * @param zone in which a target logs what it takes, 0 for none
         */
        public record Move(
                @U16 int creatorNid,
                long number,
                boolean incoming,
                @U16 int otherNid,
                long startCid,
                long endCidInclusive,
                @I32 int zone) {}

        public Holdings {
            superPeers = List.copyOf(superPeers);
            ringAddresses = List.copyOf(ringAddresses);
            moves = List.copyOf(moves);
            ranges = List.copyOf(ranges);
        }

        /** Whether its memory has what it owned. */
        public boolean isAlive() {
            return epoch > 0;
        }
    }

    /**
     * A super-peer that rebuilds what super-peers knew asks a storage peer who it is and what it owns (ADR 0127).
     * Answered with {@link Holdings}, even without a lease.
     *
     * @param superPeer where the peer finds a super-peer from now on, besides where it knew them
     * @param fromCid ranges before it are left out, 0 to begin
     */
    public record ReportHoldings(HostAddress superPeer, long fromCid) implements Message {}
}
