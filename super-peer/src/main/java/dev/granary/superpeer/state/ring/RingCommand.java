package dev.granary.superpeer.state.ring;

import dev.granary.overlay.HostAddress;
import dev.granary.overlay.NidAllocator;
import dev.granary.superpeer.state.Fields;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.UUID;

/**
 * What changes the ring. In the log each begins with a version and a type:
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
 * The wall-clock time is that of the leader, for the events that people are shown.
 */
public sealed interface RingCommand {

    /** The version of the layout of all commands of the ring. */
    int VERSION = 2;

    /** A cluster comes into being, by the explicit wish of an operator: the recorded bootstrap. */
    record FoundRing(
            long wallMillis,
            UUID clusterId,
            int expectedSize,
            UUID diskId,
            String name,
            HostAddress address,
            HostAddress httpAddress)
            implements RingCommand {}

    /** A super-peer joins, or a known one (by its disk) has new addresses. */
    record Admit(long wallMillis, UUID diskId, String name, HostAddress address, HostAddress httpAddress)
            implements RingCommand {}

    /** A storage peer's disk gets its NID for ever. */
    record AssignNid(UUID diskId) implements RingCommand {}

    /**
     * The ring is to have another size from now on.
     *
     * @param chosen whether somebody said so; otherwise the ring itself
     */
    record Resize(long wallMillis, int expectedSize, boolean chosen) implements RingCommand {}

    /** A super-peer begins to come onto the ring, or to leave it. */
    record Begin(long wallMillis, RingOperation.Kind kind, int nid) implements RingCommand {}

    /** What an operation is for is done: from now on the ring is another one. */
    record Switch(long wallMillis, int operation) implements RingCommand {}

    /** An operation is given up before anything was switched. */
    record Cancel(long wallMillis, int operation) implements RingCommand {}

    /**
     * A cluster whose super-peers are all lost gets another ring, by the explicit wish of a person (ADR 0127). Its only
     * super-peer is the one that says so; its arc is rebuilt from the storage peers.
     *
     * @param epoch higher than that of any former ring
     * @param expectedSize the number of super-peers that the ring is to grow to
     * @param given all NIDs that are given, as {@link dev.granary.overlay.NidAllocator} wants them; the super-peer gets
     *     the next one
     */
    record RebuildRing(
            long wallMillis,
            UUID clusterId,
            long epoch,
            int expectedSize,
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
        out.writeByte(VERSION);
        switch (command) {
            case FoundRing found -> {
                out.writeByte(1).writeLongLE(found.wallMillis);
                Fields.writeUuid(out, found.clusterId);
                out.writeShortLE(found.expectedSize);
                writeSuperPeer(out, found.diskId, found.name, found.address, found.httpAddress);
            }
            case Admit admit -> {
                out.writeByte(2).writeLongLE(admit.wallMillis);
                writeSuperPeer(out, admit.diskId, admit.name, admit.address, admit.httpAddress);
            }
            case AssignNid assign -> {
                out.writeByte(3);
                Fields.writeUuid(out, assign.diskId);
            }
            case Resize resize ->
                out.writeByte(4)
                        .writeLongLE(resize.wallMillis)
                        .writeShortLE(resize.expectedSize)
                        .writeBoolean(resize.chosen);
            case Begin begin ->
                out.writeByte(5)
                        .writeLongLE(begin.wallMillis)
                        .writeByte(begin.kind.code())
                        .writeShortLE(begin.nid);
            case Switch done -> out.writeByte(6).writeLongLE(done.wallMillis).writeIntLE(done.operation);
            case Cancel cancel ->
                out.writeByte(7).writeLongLE(cancel.wallMillis).writeIntLE(cancel.operation);
            case RebuildRing rebuild -> {
                out.writeByte(8).writeLongLE(rebuild.wallMillis);
                Fields.writeUuid(out, rebuild.clusterId);
                out.writeLongLE(rebuild.epoch).writeShortLE(rebuild.expectedSize);
                writeSuperPeer(out, rebuild.diskId, rebuild.name, rebuild.address, rebuild.httpAddress);
                Fields.writeAssignments(out, rebuild.given);
            }
        }
    }

    private static void writeSuperPeer(
            ByteBuf out, UUID diskId, String name, HostAddress address, HostAddress httpAddress) {
        Fields.writeUuid(out, diskId);
        Fields.writeText(out, name);
        Fields.writeAddress(out, address);
        Fields.writeAddress(out, httpAddress);
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
        int type = in.readUnsignedByte();
        return switch (type) {
            case 1 ->
                new FoundRing(
                        in.readLongLE(),
                        Fields.readUuid(in),
                        in.readUnsignedShortLE(),
                        Fields.readUuid(in),
                        Fields.readText(in),
                        Fields.readAddress(in),
                        Fields.readAddress(in));
            case 2 ->
                new Admit(
                        in.readLongLE(),
                        Fields.readUuid(in),
                        Fields.readText(in),
                        Fields.readAddress(in),
                        Fields.readAddress(in));
            case 3 -> new AssignNid(Fields.readUuid(in));
            case 4 -> new Resize(in.readLongLE(), in.readUnsignedShortLE(), in.readBoolean());
            case 5 ->
                new Begin(in.readLongLE(), RingOperation.Kind.ofCode(in.readUnsignedByte()), in.readUnsignedShortLE());
            case 6 -> new Switch(in.readLongLE(), in.readIntLE());
            case 7 -> new Cancel(in.readLongLE(), in.readIntLE());
            case 8 ->
                new RebuildRing(
                        in.readLongLE(),
                        Fields.readUuid(in),
                        in.readLongLE(),
                        in.readUnsignedShortLE(),
                        Fields.readUuid(in),
                        Fields.readText(in),
                        Fields.readAddress(in),
                        Fields.readAddress(in),
                        Fields.readAssignments(in));
            default -> throw new IllegalArgumentException("ring command of the unknown type " + type);
        };
    }
}
