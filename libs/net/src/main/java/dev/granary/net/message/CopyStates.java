package dev.granary.net.message;

import io.netty.buffer.ByteBuf;
import java.util.List;

/**
 * Where copies stand.
 *
 * @param copies in the order of the request
 */
public record CopyStates(List<CopyState> copies) implements Message {

    public CopyStates {
        copies = List.copyOf(copies);
    }

    @Override
    public void writeTo(ByteBuf out) {
        Wire.writeList(out, copies, (buffer, copy) -> copy.writeTo(buffer));
    }

    static CopyStates read(ByteBuf in) {
        return new CopyStates(Wire.readList(in, CopyState::read));
    }
}
