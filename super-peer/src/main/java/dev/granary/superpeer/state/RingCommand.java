package dev.granary.superpeer.state;

import dev.granary.overlay.HostAddress;
import io.netty.buffer.ByteBuf;
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
 *  1 found ring      clusterId, expectedSize u16, diskId, name, address, httpAddress
 *  2 admit           diskId, name, address, httpAddress
 *  3 assign NID      diskId
 * </pre>
 */
public sealed interface RingCommand {

    /** The version of the layout of all commands of the ring. */
    int VERSION = 2;

    /** A cluster comes into being, by the explicit wish of an operator: the recorded bootstrap. */
    record FoundRing(
            UUID clusterId, int expectedSize, UUID diskId, String name, HostAddress address, HostAddress httpAddress)
            implements RingCommand {}

    /** A super-peer joins, or a known one (by its disk) has new addresses. */
    record Admit(UUID diskId, String name, HostAddress address, HostAddress httpAddress) implements RingCommand {}

    /** A storage peer's disk gets its NID for ever. */
    record AssignNid(UUID diskId) implements RingCommand {}

    /** Appends a command. */
    static void write(ByteBuf out, RingCommand command) {
        out.writeByte(VERSION);
        switch (command) {
            case FoundRing found -> {
                out.writeByte(1);
                Fields.writeUuid(out, found.clusterId);
                out.writeShortLE(found.expectedSize);
                writeSuperPeer(out, found.diskId, found.name, found.address, found.httpAddress);
            }
            case Admit admit -> {
                out.writeByte(2);
                writeSuperPeer(out, admit.diskId, admit.name, admit.address, admit.httpAddress);
            }
            case AssignNid assign -> {
                out.writeByte(3);
                Fields.writeUuid(out, assign.diskId);
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
                        Fields.readUuid(in),
                        in.readUnsignedShortLE(),
                        Fields.readUuid(in),
                        Fields.readText(in),
                        Fields.readAddress(in),
                        Fields.readAddress(in));
            case 2 ->
                new Admit(Fields.readUuid(in), Fields.readText(in), Fields.readAddress(in), Fields.readAddress(in));
            case 3 -> new AssignNid(Fields.readUuid(in));
            default -> throw new IllegalArgumentException("ring command of the unknown type " + type);
        };
    }
}
