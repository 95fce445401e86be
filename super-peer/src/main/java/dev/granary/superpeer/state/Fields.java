package dev.granary.superpeer.state;

import dev.granary.net.message.RecordBytes;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.NidAllocator;
import dev.granary.overlay.Placement;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;

/**
 * How the parts of commands and snapshots are laid out, little-endian (docs/formats/super-peer-commands.md). These
 * layouts are not those of the network, because files outlive a version of the protocol.
 */
public final class Fields {

    private static final int MAX_TEXT_BYTES = 0xFFFF;

    private Fields() {}

    public static void writeUuid(ByteBuf out, UUID id) {
        out.writeLongLE(id.getMostSignificantBits()).writeLongLE(id.getLeastSignificantBits());
    }

    public static UUID readUuid(ByteBuf in) {
        return new UUID(in.readLongLE(), in.readLongLE());
    }

    public static void writeText(ByteBuf out, String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        if (utf8.length > MAX_TEXT_BYTES) {
            throw new IllegalArgumentException("a text of " + utf8.length + " bytes does not fit into a command");
        }
        out.writeShortLE(utf8.length).writeBytes(utf8);
    }

    public static String readText(ByteBuf in) {
        int sizeBytes = in.readUnsignedShortLE();
        return in.readCharSequence(sizeBytes, StandardCharsets.UTF_8).toString();
    }

    public static void writeAddress(ByteBuf out, HostAddress address) {
        writeText(out, address.host());
        out.writeShortLE(address.port());
    }

    public static HostAddress readAddress(ByteBuf in) {
        return new HostAddress(readText(in), in.readUnsignedShortLE());
    }

    public static <T> List<T> readList(ByteBuf in, Function<ByteBuf, T> reader) {
        int count = in.readIntLE();
        // Each item takes at least one byte, so that a damaged count cannot ask for more memory than the input has.
        if (count < 0 || count > in.readableBytes()) {
            throw new IllegalArgumentException("a list of " + count + " items in " + in.readableBytes() + " bytes");
        }
        List<T> items = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            items.add(reader.apply(in));
        }
        return items;
    }

    public static void writeRange(ByteBuf out, CidRange range) {
        RecordBytes.write(range, out);
    }

    static void writePlacement(ByteBuf out, Placement placement) {
        RecordBytes.write(placement, out);
    }

    public static CidRange readRange(ByteBuf in) {
        return RecordBytes.read(CidRange.class, in);
    }

    static Placement readPlacement(ByteBuf in) {
        return RecordBytes.read(Placement.class, in);
    }

    public static void writeAssignments(ByteBuf out, List<NidAllocator.Assignment> given) {
        out.writeIntLE(given.size());
        for (NidAllocator.Assignment assignment : given) {
            writeUuid(out, assignment.diskId());
            out.writeShortLE(assignment.nid());
        }
    }

    public static List<NidAllocator.Assignment> readAssignments(ByteBuf in) {
        return readList(in, item -> new NidAllocator.Assignment(readUuid(item), item.readUnsignedShortLE()));
    }
}
