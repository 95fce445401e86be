package dev.granary.net.message;

import dev.granary.net.FrameException;
import dev.granary.overlay.HostAddress;
import dev.granary.schema.Coded;
import dev.granary.schema.I32;
import dev.granary.schema.U16;
import io.netty.buffer.ByteBuf;
import java.util.List;

/** Moves of ranges from one storage peer to another. */
public final class MigrationMessages {

    private MigrationMessages() {}

    /**
     * Asks the super-peer of the creator's arc to begin a migration. The whole range must be of one owner.
     *
     * @param startCid the first chunk
     * @param endCidInclusive the last chunk, of the same creator
     * @param targetNid the storage peer that shall own them
     */
    public record Migrate(
            long startCid, long endCidInclusive, @U16 int targetNid) implements Message {}

    /** How far a migration is, as its arc has it. Codes are part of the protocol. */
    public enum MigrationState implements Coded {
        /** The source owns the range and copies it. */
        RUNNING(0),
        /** The target owns the range. */
        COMMITTED(1),
        /** The source owns the range as before. */
        ABORTED(2);

        private final int code;

        MigrationState(int code) {
            this.code = code;
        }

        /** The number of the state on the wire and on disk. */
        @Override
        public int code() {
            return code;
        }
    }

    /**
     * A migration as its arc has it.
     *
     * @param creatorNid whose chunks they are; with the number it names the migration
     * @param number counted by the arc; 0 when the target owns the range already and nothing was begun
     * @param state how far it is
     * @param epoch of the range at the target, 0 unless committed
     * @param note for people: why it was aborted, otherwise empty
     */
    public record MigrationReply(@U16 int creatorNid, long number, MigrationState state, long epoch, String note)
            implements Message {}

    /**
     * The source asks the super-peer of the creator's arc to make the target the owner: the target holds everything,
     * and the source serves nothing of the range until it has the answer. Asked again and again until there is one.
     *
     * @param creatorNid whose chunks they are
     * @param number of the migration
     * @param sourceNid the asking storage peer
     * @param sourceEpoch of its incarnation
     */
    public record CommitMigration(
            @U16 int creatorNid, long number, @U16 int sourceNid, long sourceEpoch) implements Message {}

    /**
     * Asks the super-peer of the creator's arc to give a migration up, unless it is committed.
     *
     * @param creatorNid whose chunks they are
     * @param number of the migration
     * @param reason for people
     */
    public record AbortMigration(@U16 int creatorNid, long number, String reason) implements Message {}

    /**
     * Asks the super-peer of the creator's arc for the outcome of a migration.
     *
     * @param creatorNid whose chunks they are
     * @param number of the migration
     */
    public record AskMigration(@U16 int creatorNid, long number) implements Message {}

    /**
     * A super-peer tells a storage peer to carry out a migration. It repeats this as long as the migration runs; a
     * repetition changes nothing and brings the progress.
     *
     * @param creatorNid whose chunks they are
     * @param number of the migration
     * @param startCid the first chunk
     * @param endCidInclusive the last chunk
     * @param sourceEpoch of the incarnation of the source that is meant
     * @param targetNid who shall own them
     * @param targetEpoch of the target's incarnation
     * @param targetAddress where the target serves
     */
    public record RunMigration(
            @U16 int creatorNid,
            long number,
            long startCid,
            long endCidInclusive,
            long sourceEpoch,
            @U16 int targetNid,
            long targetEpoch,
            HostAddress targetAddress)
            implements Message {}

    /**
     * How far the source is.
     *
     * @param failed whether it has given up; it serves the range as before
     * @param chunks sent so far, those that changed meanwhile counted again
     * @param bytes of these chunks
     * @param note for people: why it has given up, otherwise empty
     */
    public record RunMigrationReply(boolean failed, long chunks, long bytes, String note) implements Message {}

    /**
     * The header of each request with chunks of a migration, little-endian. The source sends one at a time; a step
     * that came before is answered again and changes nothing.
     *
     * <pre>
     *  0            2        10         18        26          28            36     40      44
     *  +------------+--------+----------+---------+-----------+-------------+------+-------+--------------
     *  | creatorNid | number | startCid | endCid  | sourceNid | targetEpoch | step | flags | parts ...
     *  +------------+--------+----------+---------+-----------+-------------+------+-------+--------------
     *   u16          int64    int64      int64     u16         int64         int32  int32
     *
     *  chunks       count int32, cids int64[count], sizes int32[count] (-1: there is none), payloads of the others
     *  requests     count int32, then each: clientId int64, sequence int64, chunks int32, cids int64[chunks],
     *               status u8[chunks];
     *               chunks -1: up to this sequence nothing of this client may be carried out;
     *               chunks -2: this request may have been carried out, nobody knows
     *  tokens       of locks that were seen: for all chunks at least int64, count int32,
     *               then each: cid int64, token int64
     * </pre>
     *
     * @param creatorNid whose chunks they are
     * @param number of the migration
     * @param startCid the first chunk
     * @param endCidInclusive the last chunk
     * @param sourceNid the sender
     * @param targetEpoch of the receiver's incarnation
     * @param step from 0 on
     * @param flags {@link #FLAG_SEAL}, {@link #FLAG_SYNC}, {@link #FLAG_READ}
     */
    public record MigrationData(
            int creatorNid,
            long number,
            long startCid,
            long endCidInclusive,
            int sourceNid,
            long targetEpoch,
            int step,
            int flags) {

        /** The last step: the receiver has everything now. */
        public static final int FLAG_SEAL = 1;

        /** Everything that came so far is on the disks of the receiver's backups before this is answered. */
        public static final int FLAG_SYNC = 2;

        /**
         * After the last step: asks whether the sender may go on serving reads of the chunks for {@link
         * #READ_GRANT_NANOS}, although the receiver may already own them. A receiver that grants it serves nothing
         * before that time is over, unless the sender says that it has stopped.
         */
        public static final int FLAG_READ = 4;

        /**
         * How long the receiver of {@link #FLAG_READ} promises this, from its answer on; the sender counts from its
         * request.
         */
        public static final long READ_GRANT_NANOS = 250_000_000;

        private static final int ALL_FLAGS = FLAG_SEAL | FLAG_SYNC | FLAG_READ;

        /** In place of a size: there is no such chunk. */
        public static final int NO_CHUNK = -1;

        /** In place of a count of chunks: up to this sequence nothing of this client may be carried out. */
        public static final int FLOOR = -1;

        /** In place of a count of chunks: nobody knows whether this request was carried out. */
        public static final int UNKNOWN = -2;

        public static final int BYTES = 44;

        /** Appends the header. */
        public void writeTo(ByteBuf out) {
            out.writeShortLE(creatorNid)
                    .writeLongLE(number)
                    .writeLongLE(startCid)
                    .writeLongLE(endCidInclusive);
            out.writeShortLE(sourceNid)
                    .writeLongLE(targetEpoch)
                    .writeIntLE(step)
                    .writeIntLE(flags);
        }

        /**
         * Reads the header.
         *
         * @throws FrameException when it has unknown flags
         */
        public static MigrationData read(ByteBuf in) {
            MigrationData data = new MigrationData(
                    in.readUnsignedShortLE(),
                    in.readLongLE(),
                    in.readLongLE(),
                    in.readLongLE(),
                    in.readUnsignedShortLE(),
                    in.readLongLE(),
                    in.readIntLE(),
                    in.readIntLE());
            if ((data.flags & ~ALL_FLAGS) != 0) {
                throw new FrameException("migration data with the unknown flags " + data.flags);
            }
            return data;
        }
    }

    /**
     * Tells a storage peer what its arc has decided: the source tells the target; the super-peer tells both when it
     * gives up.
     *
     * @param creatorNid whose chunks they are
     * @param number of the migration
     * @param committed whether the target owns the range now
     * @param epoch of the range at the target, 0 unless committed
     */
    public record EndMigration(@U16 int creatorNid, long number, boolean committed, long epoch) implements Message {}

    /**
     * Asks a storage peer what it owns between two CIDs, in pieces that can be migrated one by one.
     *
     * @param startCid from here on
     * @param endCidInclusive up to here, of any creator
     * @param maxLids the most LIDs of a piece
     */
    public record Survey(
            long startCid, long endCidInclusive, @I32 int maxLids) implements Message {}

    /**
     * Pieces that a storage peer owns.
     *
     * @param nextCid the CID from which to ask next, 0 when there is nothing more
     * @param pieces ascending
     */
    public record SurveyReply(long nextCid, List<Piece> pieces) implements Message {

        /**
         * Consecutive chunks.
         *
         * @param startCid the first
         * @param endCidInclusive the last, of the same creator
         * @param chunks how many there are
         * @param bytes of these chunks
         */
        public record Piece(long startCid, long endCidInclusive, long chunks, long bytes) {}

        public SurveyReply {
            pieces = List.copyOf(pieces);
        }
    }

    /**
     * Tells a storage peer whether everything is leaving it, so that it takes no new chunks. Sent repeatedly.
     *
     * @param epoch of the incarnation that is meant
     * @param draining whether new chunks are refused
     */
    public record DrainPeer(long epoch, boolean draining) implements Message {}
}
