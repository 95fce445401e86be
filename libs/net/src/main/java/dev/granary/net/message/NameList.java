package dev.granary.net.message;

import io.netty.buffer.ByteBuf;
import java.util.List;

/**
 * Names in the order of their bytes.
 *
 * @param entries at most as many as were asked for
 * @param more whether there are more behind the last one
 */
public record NameList(List<NameEntry> entries, boolean more) implements Message {

    public NameList {
        entries = List.copyOf(entries);
    }

    @Override
    public void writeTo(ByteBuf out) {
        Wire.writeList(out, entries, (buffer, entry) -> entry.writeTo(buffer));
        out.writeBoolean(more);
    }

    static NameList read(ByteBuf in) {
        return new NameList(Wire.readList(in, NameEntry::read), in.readBoolean());
    }
}
