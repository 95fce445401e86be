package dev.granary.storage.data;

import dev.granary.memory.ChunkMemory;
import dev.granary.net.message.ChunkStatus;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.storage.probe.StorageProbe;
import dev.granary.storage.replicate.OwnedZone;
import dev.granary.storage.replicate.OwnedZones;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Lets operations on keys in by the rules for those on chunks: behind the gate, with a lease, not while the cluster
 * sleeps, and not while a slot group is on its way to another owner. All chunks of a slot group move together, so that
 * the first LID stands for all. Thread-safe.
 */
public final class KeyedAccess {

    private static final long RETRY_NANOS = 5_000_000;

    private final ChunkService service;
    private final Replies replies;

    KeyedAccess(ChunkService service, Replies replies) {
        this.service = service;
        this.replies = replies;
    }

    /** Returns whether the lease of this storage peer holds at this moment. */
    public boolean hasLease() {
        return replies.hasLease();
    }

    /** Enters the gate. Returns null when nobody may enter any more, or this peer does not serve yet. */
    public @Nullable Inside enter() {
        OperationGate gate = service.enter();
        ServedChunks chunks = service.served();
        if (gate != null && chunks == null) {
            gate.exit();
        }
        return gate == null || chunks == null ? null : new Inside(gate, chunks);
    }

    /** What tells who owns slot groups, at one moment. Equal to nothing; see {@link Inside#isUnchanged}. */
    public static final class Seen {

        private final ServedChunks chunks;
        private final long ownership;
        private final Object zones;

        private Seen(ServedChunks chunks) {
            this.chunks = chunks;
            this.ownership = chunks.ownership().mark();
            this.zones = chunks.zones().version();
        }
    }

    /** An operation behind the gate. What it uses is there until it is closed, by the same thread. */
    public final class Inside implements AutoCloseable {

        private final OperationGate gate;
        private final ServedChunks chunks;

        private Inside(OperationGate gate, ServedChunks chunks) {
            this.gate = gate;
            this.chunks = chunks;
        }

        public ChunkMemory memory() {
            return chunks.memory();
        }

        public OwnedZones zones() {
            return chunks.zones();
        }

        /** Returns the epoch of this incarnation of the storage peer. */
        public long epoch() {
            return chunks.epoch();
        }

        /** Returns the range of a slot group that this peer owns; empty when it does not own the group. */
        public Optional<CidRange> owned(int groupNid) {
            long first = Cid.firstOf(groupNid);
            return chunks.ownership().statusOf(first) == ChunkStatus.OK
                    ? chunks.ownership().known(first)
                    : Optional.empty();
        }

        /** Returns the epoch of the range of a slot group; 0 when this peer does not own the group. */
        public long ownedEpoch(int groupNid) {
            return chunks.ownership().ownedEpoch(Cid.firstOf(groupNid));
        }

        /** Returns the zone in which the entries of a slot group are logged, or null. */
        public @Nullable OwnedZone zone(int groupNid) {
            return chunks.zones().find(Cid.firstOf(groupNid));
        }

        /** Notes the state in which {@link #ownedEpoch} and {@link #zone} are asked next. */
        public Seen look() {
            return new Seen(chunks);
        }

        /** Returns whether {@link #ownedEpoch} and {@link #zone} would answer as they did then. False is no proof. */
        @SuppressWarnings("ReferenceEquality") // Versions are objects that nobody makes a second time.
        public boolean isUnchanged(Seen seen) {
            return seen.chunks == chunks
                    && seen.zones == chunks.zones().version()
                    && chunks.ownership().isUnchangedSince(seen.ownership);
        }

        /** Takes over that this peer owns a range. */
        public void learn(CidRange range) {
            chunks.ownership().learn(range);
        }

        /** Returns why nothing can be done with a slot group at the moment; null when it can. */
        public @Nullable ErrorReply refusal(int groupNid, boolean change) {
            ErrorReply asleep = service.asleep(change);
            if (asleep != null) {
                return asleep;
            }
            if (!replies.hasLease()) {
                return ErrorReply.of(ErrorCode.NO_LEASE, "this storage peer holds no lease and serves nothing");
            }
            if (chunks.ownership().isAtRest()) {
                return null;
            }
            long[] first = {Cid.firstOf(groupNid)};
            boolean mustWait = chunks.ownership().mustWait(first, 1, change, replies.now());
            StorageProbe.CALL_WHILE_GROUP_MOVES.hitIf(mustWait);
            return mustWait
                    ? ErrorReply.retryLater(RETRY_NANOS, "the slot group is on its way to another storage peer")
                    : null;
        }

        /** Returns whether what was read of a slot group must not be shown: another peer may have changed it before. */
        public boolean isReadTooLate(int groupNid) {
            return chunks.ownership().areReadTooLate(new long[] {Cid.firstOf(groupNid)}, 1, replies::now);
        }

        /** Notes that entries were changed, after the change. */
        public void noteChanged(long[] cids, int count) {
            chunks.ownership().noteChanged(cids, count);
        }

        @Override
        public void close() {
            gate.exit();
        }
    }
}
