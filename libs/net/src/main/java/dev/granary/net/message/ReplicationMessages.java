package dev.granary.net.message;

import dev.granary.net.FrameException;
import dev.granary.net.message.ZoneMessages.ChangeCopies;
import dev.granary.net.message.ZoneMessages.ZoneEpoch;
import dev.granary.overlay.HostAddress;
import dev.granary.schema.Coded;
import dev.granary.schema.I32;
import dev.granary.schema.U16;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.UUID;

/** Copies of zones: opened, filled, written and sealed at backups. */
public final class ReplicationMessages {

    private ReplicationMessages() {}

    /**
     * The header of each request that carries changes from an owner to a backup, little-endian.
     *
     * <pre>
     *  0           16         18      19      21
     *  +-----------+----------+-------+-------+----------
     *  | clusterId | ownerNid | flags | zones | parts ...
     *  +-----------+----------+-------+-------+----------
     *   uuid        u16        u8      u16
     *
     *  part        zone int32, epoch int64, acknowledged int64, sizeBytes int32, batches[sizeBytes]
     *  reply       zones u16, then for each part, in order, a {@link CopyState}
     * </pre>
     *
     * The batches of a part are whole, of one zone, in the order of their sequences (libs/log); batches that are held
     * already are skipped. All in-sync backups of the zone hold everything up to the acknowledged sequence. A zone may
     * stand in several parts. A part without batches asks how far the copy holds, a request without parts whether the
     * backup is there.
     *
     * @param clusterId of the sender
     * @param ownerNid the sender
     * @param flags {@link #FLAG_SYNC}
     * @param zones how many parts follow
     */
    public record Replicate(UUID clusterId, int ownerNid, int flags, int zones) {

        /** The answer comes only when what is sent, and what was before it, is on the disk. */
        public static final int FLAG_SYNC = 1;

        public static final int BYTES = 21;

        /** The size of each part's header: zone, epoch, acknowledged sequence, size. */
        public static final int PART_BYTES = 24;

        /** The most parts of one request. */
        public static final int MAX_ZONES = 0xFFFF;

        /** Appends the header. */
        public void writeTo(ByteBuf out) {
            writeUuid(out, clusterId);
            out.writeShortLE(ownerNid).writeByte(flags).writeShortLE(zones);
        }

        /**
         * Reads the header.
         *
         * @throws FrameException when it has unknown flags
         */
        public static Replicate read(ByteBuf in) {
            Replicate header = new Replicate(
                    readUuid(in), in.readUnsignedShortLE(), in.readUnsignedByte(), in.readUnsignedShortLE());
            if ((header.flags & ~FLAG_SYNC) != 0) {
                throw new FrameException("changes to replicate with the unknown flags " + header.flags);
            }
            return header;
        }
    }

    /**
     * An owner tells a backup to hold copies of zones: new ones, or known ones in a new epoch. Answered when it is on
     * the disk, with a {@link CopyStates}. Repeating it changes nothing.
     *
     * @param clusterId of the sender
     * @param ownerNid the sender
     * @param copies at most a few thousand
     */
    public record OpenCopies(UUID clusterId, @U16 int ownerNid, List<Opening> copies) implements Message {

        /**
         * A copy of a zone. What a known copy holds behind the base sequence is cut off when the epoch is new to it: it
         * was never acknowledged. A copy that is not known is made only if it is to be filled,
         * or if there is nothing before it.
         *
         * @param zone whose copy it is
         * @param epoch from which on the owner sends changes; lower ones are refused from now on
         * @param members the committed in-sync backups of the zone in this epoch, in order
         * @param baseSequence no change of an earlier epoch behind it counts; the next has one more
         * @param filling what was before the base sequence is sent by {@link FillData}
         */
        public record Opening(
                @I32 int zone, long epoch, List<@U16 Integer> members, long baseSequence, boolean filling) {

            public Opening {
                members = List.copyOf(members);
            }
        }

        public OpenCopies {
            copies = List.copyOf(copies);
        }
    }

    /** The result of a change of one copy of a zone. Codes are part of the protocol. */
    public enum CopyResult implements Coded {
        /** Done: everything up to the sequence in the reply is held. */
        OK(0),
        /** Batches before these are missing: send again from behind the sequence in the reply. */
        GAP(1),
        /** A higher epoch is known here, the one in the reply: the sender is not the owner any more. */
        FENCED(2),
        /** There is no such copy here, or none that was opened in this epoch. */
        UNKNOWN_ZONE(3),
        /** Not now, the disk is behind: send it again a little later. */
        BUSY(4),
        /** The disk is full. */
        FULL(5),
        /** The disk failed, or what was sent cannot be read: this backup is of no use for the zone. */
        FAILED(6);

        private static final CopyResult[] BY_CODE = values();

        private final int code;

        CopyResult(int code) {
            this.code = code;
        }

        /** The number of the result on the wire. */
        @Override
        public int code() {
            return code;
        }

        /**
         * The result with this number.
         *
         * @throws IllegalArgumentException when there is none
         */
        public static CopyResult ofCode(int code) {
            if (code < 0 || code >= BY_CODE.length) {
                throw new IllegalArgumentException("there is no result of a copy with the code " + code);
            }
            return BY_CODE[code];
        }
    }

    /**
     * Where a copy of a zone stands after a request to change it, little-endian.
     *
     * <pre>
     *  0      4        5       13             21
     *  +------+--------+-------+--------------+
     *  | zone | result | epoch | lastSequence |
     *  +------+--------+-------+--------------+
     *   int32  u8       int64   int64
     * </pre>
     *
     * @param zone whose copy it is
     * @param result what became of the change
     * @param epoch the highest that the backup knows of the zone, 0 when it knows none
     * @param lastSequence everything up to it is held, 0 when nothing is
     */
    public record CopyState(@I32 int zone, CopyResult result, long epoch, long lastSequence) implements Message {

        public static final int BYTES = 21;

        @Override
        public void writeTo(ByteBuf out) {
            out.writeIntLE(zone).writeByte(result.code()).writeLongLE(epoch).writeLongLE(lastSequence);
        }

        /** Reads one. */
        public static CopyState read(ByteBuf in) {
            return new CopyState(
                    in.readIntLE(), CopyResult.ofCode(in.readUnsignedByte()), in.readLongLE(), in.readLongLE());
        }
    }

    /**
     * Where copies stand.
     *
     * @param copies in the order of the request
     */
    public record CopyStates(List<CopyState> copies) implements Message {

        public CopyStates {
            copies = List.copyOf(copies);
        }
    }

    /**
     * The copies of zones that a storage peer's disk holds.
     *
     * @param peerEpoch of the peer's incarnation, 0 before its first lease
     * @param nextZone the zone after which to ask next, 0 when these are all
     * @param copies by their zones, ascending
     */
    public record CopyList(long peerEpoch, @I32 int nextZone, List<Held> copies) implements Message {

        /**
         * A copy.
         *
         * @param zone whose copy it is
         * @param epoch in which it was opened last
         * @param fencedEpoch changes of lower epochs are refused
         * @param members the in-sync backups of the zone in the epoch of the copy
         * @param lastSequence of the last change that it holds without a gap
         * @param continuous whether it certainly has everything that it ever acknowledged
         * @param filled whether it has what was before it was opened
         * @param bytes that it takes
         */
        public record Held(
                @I32 int zone,
                long epoch,
                long fencedEpoch,
                List<@U16 Integer> members,
                long lastSequence,
                boolean continuous,
                boolean filled,
                long bytes) {

            public Held {
                members = List.copyOf(members);
            }
        }

        public CopyList {
            copies = List.copyOf(copies);
        }
    }

    /**
     * Asks a storage peer which copies of zones its disk holds. Answered with a {@link CopyList}, even by a peer
     * without a lease.
     *
     * @param afterZone copies of zones up to this one are left out, 0 to begin
     * @param limit the most copies, 0 to ask for the incarnation only
     */
    public record ListCopies(@I32 int afterZone, @I32 int limit) implements Message {}

    /**
     * A super-peer tells a backup to refuse all changes of zones in lower epochs (SAFETY rule "fencing at the backups")
     * and asks what it holds. Answered when it is on the disk, with a {@link SealedCopies}. Repeating it changes
     * nothing.
     *
     * @param clusterId of the sender
     * @param zones each with the epoch of its recovery
     */
    public record SealZones(UUID clusterId, List<ZoneEpoch> zones) implements Message {

        public SealZones {
            zones = List.copyOf(zones);
        }
    }

    /**
     * What a backup holds of zones whose copies were sealed.
     *
     * @param copies in the order of the request
     */
    public record SealedCopies(List<Copy> copies) implements Message {

        /**
         * One copy.
         *
         * @param zone whose copy it is
         * @param held whether there is one
         * @param epoch in which it was opened last; without a copy, the epoch of the incarnation of the peer since
         *     whose begin there certainly was none, or 0 if that is not known (ADR 0198)
         * @param baseSequence of what it was filled with, which may have changes up to here: it cannot be cut below it
         * @param lastSequence of the last change that it holds without a gap
         * @param continuous whether it certainly has everything that it ever acknowledged: not after a crash of its
         *     peer, and not with damage; without a copy, whether there certainly was none
         * @param filled whether it has what was before it was opened
         * @param fencedEpoch changes of lower epochs are refused;
         *     higher than the one asked for when a later recovery was here before
         * @param bytes about how many bytes of entries a recovery would read from it; 0 without a copy
         */
        public record Copy(
                @I32 int zone,
                boolean held,
                long epoch,
                long baseSequence,
                long lastSequence,
                boolean continuous,
                boolean filled,
                long fencedEpoch,
                long bytes) {}

        public SealedCopies {
            copies = List.copyOf(copies);
        }
    }

    /**
     * Copies are no longer needed. A copy goes only when it is of a lower epoch than the one told, or of the same
     * and not yet filled: a late message takes nothing away from a copy that is wanted again.
     *
     * @param clusterId of the sender
     * @param zones each with the epoch in which the receiver is not an in-sync backup
     */
    public record DropCopies(UUID clusterId, List<ZoneEpoch> zones) implements Message {

        public DropCopies {
            zones = List.copyOf(zones);
        }
    }

    /**
     * A super-peer tells the owner of a zone to fill a copy on another storage peer. Answered at once when the owner
     * will do so; it asks for {@link ChangeCopies} when the copy is filled. Sent again as long as the zone has too few
     * in-sync backups, which changes nothing for a copy that is being filled.
     *
     * @param zone whose copy is to be filled
     * @param epoch of the zone
     * @param ownerEpoch of the owner's incarnation that is meant
     * @param targetNid who shall hold it
     * @param targetAddress where that peer serves
     */
    public record FillCopy(
            @I32 int zone, long epoch, long ownerEpoch, @U16 int targetNid, HostAddress targetAddress)
            implements Message {}

    /**
     * The header of each request that brings a new copy what was there before it was opened, little-endian. The
     * owner sends one at a time; a step that came before is answered again and changes nothing.
     * The answer is a {@link CopyState}.
     *
     * <pre>
     *  0           16         18     22      30     34
     *  +-----------+----------+------+-------+------+-------------
     *  | clusterId | ownerNid | zone | epoch | step | batches ...
     *  +-----------+----------+------+-------+------+-------------
     *   uuid        u16        int32  int64   int32
     * </pre>
     *
     * @param clusterId of the sender
     * @param ownerNid the sender
     * @param zone of the copy
     * @param epoch in which the copy was opened
     * @param step from 0 on
     */
    public record FillData(UUID clusterId, int ownerNid, int zone, long epoch, int step) {

        public static final int BYTES = 34;

        /** Appends the header. */
        public void writeTo(ByteBuf out) {
            writeUuid(out, clusterId);
            out.writeShortLE(ownerNid).writeIntLE(zone).writeLongLE(epoch).writeIntLE(step);
        }

        /** Reads the header. */
        public static FillData read(ByteBuf in) {
            return new FillData(
                    readUuid(in), in.readUnsignedShortLE(), in.readIntLE(), in.readLongLE(), in.readIntLE());
        }
    }

    /**
     * An owner has sent all steps of a copy that is filled. Answered with a {@link CopyState} when everything is on the
     * disk, and the mark that it is filled.
     *
     * @param clusterId of the sender
     * @param ownerNid the sender
     * @param zone of the copy
     * @param epoch in which the copy was opened
     * @param steps how many {@link FillData} there were
     * @param wholeFrom the sequence up to which the steps may have changes: the copy is whole only with all of these
     *     (ADR 0253)
     */
    public record CopyFilled(
            UUID clusterId,
            @U16 int ownerNid,
            @I32 int zone,
            long epoch,
            @I32 int steps,
            long wholeFrom) implements Message {}

    /**
     * A peer asks an in-sync backup of a zone for what its copy holds: to repair its own, or to recover the zone
     * without one.
     *
     * @param clusterId of the sender
     * @param zone of the copy
     * @param epoch that the copy must know at least: the one in which it was sealed
     * @param upToSequence changes behind it are left out
     * @param cursor 0 to begin, then what the last answer said
     */
    public record FetchCopy(UUID clusterId, @I32 int zone, long epoch, long upToSequence, long cursor)
            implements Message {}

    /**
     * A part of a copy.
     *
     * @param nextCursor where to go on, 0 when this was the last part
     * @param damaged whether something before or in this part could not be read and is missing
     * @param batches whole batches (libs/log)
     */
    public record FetchedCopy(long nextCursor, boolean damaged, Blob batches) implements Message {}

    private static void writeUuid(ByteBuf out, UUID id) {
        out.writeLongLE(id.getMostSignificantBits()).writeLongLE(id.getLeastSignificantBits());
    }

    private static UUID readUuid(ByteBuf in) {
        return new UUID(in.readLongLE(), in.readLongLE());
    }
}
