package dev.granary.superpeer.state.ring;

import dev.granary.net.message.RecordBytes;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.NidAllocator;
import dev.granary.schema.Code;
import dev.granary.schema.I32;
import dev.granary.schema.RecordTypes;
import dev.granary.schema.U16;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.UUID;

/**
 * Changes the ring. In the log each command begins with a version and a type:
 *
 * <pre>
 *  0         1       2
 *  +---------+-------+-------------
 *  | version | type  | fields ...
 *  +---------+-------+-------------
 *   u8 (2)    u8
 *
 *  1 found ring      wallMillis i64, clusterId, expectedSize u16, diskId, name, address, httpAddress
 *  2 admit           wallMillis i64, diskId, name, address, httpAddress
 *  3 assign NID      diskId
 *  4 resize          wallMillis i64, expectedSize u16, chosen u8
 *  5 begin           wallMillis i64, kind u8, nid u16
 *  6 switch          wallMillis i64, operation i32
 *  7 cancel          wallMillis i64, operation i32
 *  8 rebuild ring    wallMillis i64, clusterId, epoch i64, expectedSize u16, diskId, name, address, httpAddress,
 *                    list of (diskId, nid u16)
 * </pre>
 *
 * The wall-clock time is that of the leader, for the events that people see.
 */
public sealed interface RingCommand {

    /** The version of the layout of all commands of the ring. */
    int VERSION = 2;

    /** All of them by their types. */
    RecordTypes<RingCommand> TYPES = RecordTypes.of("ring command", RingCommand.class);

    /** Founds a cluster, by the explicit wish of a person: the recorded bootstrap. */
    @Code(1)
    record FoundRing(
            long wallMillis,
            UUID clusterId,
            @U16 int expectedSize,
            UUID diskId,
            String name,
            HostAddress address,
            HostAddress httpAddress)
            implements RingCommand {}

    /** Admits a super-peer, or notes new addresses of a super-peer whose disk is known. */
    @Code(2)
    record Admit(long wallMillis, UUID diskId, String name, HostAddress address, HostAddress httpAddress)
            implements RingCommand {}

    /** Gives the disk of a storage peer its NID for ever. */
    @Code(3)
    record AssignNid(UUID diskId) implements RingCommand {}

    /**
     * Sets the size that the ring is to have.
     *
     * @param chosen whether a person has set the size; otherwise the ring has
     */
    @Code(4)
    record Resize(long wallMillis, @U16 int expectedSize, boolean chosen) implements RingCommand {}

    /** Begins an operation: a super-peer joins the ring or leaves it, or its arc is rebuilt. */
    @Code(5)
    record Begin(
            long wallMillis, RingOperation.Kind kind, @U16 int nid) implements RingCommand {}

    /** Switches the ring: the operation has done its work, and the ring is another one from now on. */
    @Code(6)
    record Switch(long wallMillis, @I32 int operation) implements RingCommand {}

    /** Cancels an operation before its switch. */
    @Code(7)
    record Cancel(long wallMillis, @I32 int operation) implements RingCommand {}

    /**
     * Gives a cluster whose super-peers are all lost another ring, by the explicit wish of a person (ADR 0127). Its
     * only super-peer is the one that proposes this command. The arc of this super-peer is rebuilt from the reports of
     * storage peers.
     *
     * @param epoch higher than that of any former ring
     * @param expectedSize the number of super-peers that the ring is to grow to
     * @param given all NIDs that are given, in the form of {@link dev.granary.overlay.NidAllocator}; the super-peer
     *     gets the next one
     */
    @Code(8)
    record RebuildRing(
            long wallMillis,
            UUID clusterId,
            long epoch,
            @U16 int expectedSize,
            UUID diskId,
            String name,
            HostAddress address,
            HostAddress httpAddress,
            List<NidAllocator.Assignment> given)
            implements RingCommand {
        public RebuildRing {
            given = List.copyOf(given);
        }
    }

    /** Appends a command. */
    static void write(ByteBuf out, RingCommand command) {
        out.writeByte(VERSION).writeByte(TYPES.codeOf(command));
        RecordBytes.write((Record) command, out);
    }

    /**
     * Reads what {@link #write} wrote.
     *
     * @throws IllegalArgumentException when version or type are unknown
     */
    static RingCommand read(ByteBuf in) {
        int version = in.readUnsignedByte();
        if (version != VERSION) {
            throw new IllegalArgumentException(
                    "ring command of version " + version + "; this program knows " + VERSION);
        }
        return RecordBytes.read(TYPES, in.readUnsignedByte(), in);
    }
}
