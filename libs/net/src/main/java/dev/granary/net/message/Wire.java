package dev.granary.net.message;

import dev.granary.net.FrameException;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Placement;
import dev.granary.overlay.PlacementState;
import dev.granary.overlay.Ring;
import dev.granary.overlay.RingMember;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** How the common parts of messages are laid out; every number is little-endian (docs/formats/protocol.md). */
final class Wire {

    private static final int MAX_LIST_ITEMS = 65_536;

    private Wire() {}

    static void writeUuid(ByteBuf out, UUID id) {
        out.writeLongLE(id.getMostSignificantBits()).writeLongLE(id.getLeastSignificantBits());
    }

    static UUID readUuid(ByteBuf in) {
        return new UUID(in.readLongLE(), in.readLongLE());
    }

    static void writeString(ByteBuf out, String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        if (utf8.length > 0xFFFF) {
            throw new FrameException("a text of " + utf8.length + " bytes does not fit into a message");
        }
        out.writeShortLE(utf8.length).writeBytes(utf8);
    }

    static String readString(ByteBuf in) {
        return readUtf8(in, in.readUnsignedShortLE());
    }

    static void writeLongString(ByteBuf out, String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        out.writeIntLE(utf8.length).writeBytes(utf8);
    }

    static String readLongString(ByteBuf in) {
        return readUtf8(in, in.readIntLE());
    }

    private static String readUtf8(ByteBuf in, int sizeBytes) {
        if (sizeBytes < 0 || sizeBytes > in.readableBytes()) {
            throw new FrameException(
                    "a text of " + sizeBytes + " bytes in a message with " + in.readableBytes() + " left");
        }
        return in.readCharSequence(sizeBytes, StandardCharsets.UTF_8).toString();
    }

    static void writeAddress(ByteBuf out, HostAddress address) {
        writeString(out, address.host());
        out.writeShortLE(address.port());
    }

    static HostAddress readAddress(ByteBuf in) {
        return new HostAddress(readString(in), in.readUnsignedShortLE());
    }

    /** An address that may be missing: an empty host says so. */
    static void writeOptionalAddress(ByteBuf out, @Nullable HostAddress address) {
        if (address == null) {
            out.writeShortLE(0).writeShortLE(0);
        } else {
            writeAddress(out, address);
        }
    }

    static @Nullable HostAddress readOptionalAddress(ByteBuf in) {
        String host = readString(in);
        int port = in.readUnsignedShortLE();
        return host.isEmpty() ? null : new HostAddress(host, port);
    }

    static <T> void writeList(ByteBuf out, List<T> items, BiConsumer<ByteBuf, T> writer) {
        out.writeIntLE(items.size());
        items.forEach(item -> writer.accept(out, item));
    }

    static <T> List<T> readList(ByteBuf in, Function<ByteBuf, T> reader) {
        return readList(in, MAX_LIST_ITEMS, reader);
    }

    static <T> List<T> readList(ByteBuf in, int maxItems, Function<ByteBuf, T> reader) {
        int count = in.readIntLE();
        if (count < 0 || count > maxItems) {
            throw new FrameException("a list of " + count + " items is outside 0.." + maxItems);
        }
        List<T> items = new ArrayList<>(Math.min(count, in.readableBytes()));
        for (int i = 0; i < count; i++) {
            items.add(reader.apply(in));
        }
        return items;
    }

    static void writeRing(ByteBuf out, Ring ring) {
        writeUuid(out, ring.clusterId());
        out.writeLongLE(ring.epoch()).writeShortLE(ring.expectedSize()).writeBoolean(ring.formed());
        writeList(out, ring.members(), Wire::writeMember);
    }

    static Ring readRing(ByteBuf in) {
        UUID clusterId = readUuid(in);
        long epoch = in.readLongLE();
        int expectedSize = in.readUnsignedShortLE();
        boolean formed = in.readBoolean();
        return new Ring(clusterId, epoch, expectedSize, formed, readList(in, Wire::readMember));
    }

    private static void writeMember(ByteBuf out, RingMember member) {
        out.writeShortLE(member.nid());
        writeString(out, member.name());
        writeAddress(out, member.address());
        writeAddress(out, member.httpAddress());
    }

    private static RingMember readMember(ByteBuf in) {
        return new RingMember(in.readUnsignedShortLE(), readString(in), readAddress(in), readAddress(in));
    }

    static void writeRange(ByteBuf out, CidRange range) {
        out.writeLongLE(range.startCid()).writeLongLE(range.endCidInclusive());
        writePlacement(out, range.placement());
    }

    static void writePlacement(ByteBuf out, Placement placement) {
        out.writeShortLE(placement.owner());
        out.writeByte(placement.backupCount());
        for (int i = 0; i < placement.backupCount(); i++) {
            out.writeShortLE(placement.backup(i));
        }
        out.writeLongLE(placement.epoch()).writeIntLE(placement.zone());
        out.writeByte(placement.state().code());
    }

    static CidRange readRange(ByteBuf in) {
        long startCid = in.readLongLE();
        long endCidInclusive = in.readLongLE();
        return new CidRange(startCid, endCidInclusive, readPlacement(in));
    }

    static Placement readPlacement(ByteBuf in) {
        int owner = in.readUnsignedShortLE();
        int[] backups = new int[in.readUnsignedByte()];
        for (int i = 0; i < backups.length; i++) {
            backups[i] = in.readUnsignedShortLE();
        }
        long epoch = in.readLongLE();
        int zone = in.readIntLE();
        PlacementState state = PlacementState.ofCode(in.readUnsignedByte());
        return new Placement(owner, backups, epoch, zone, state);
    }
}
