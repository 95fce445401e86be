package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/**
 * A person decides that a zone whose recovery waits for members is recovered from those copies that there are, and that
 * what only the others have is lost (SAFETY rule "bootstrap and restart"). Answered with the {@link ZonePlacement} that
 * holds now; the zone is lost when there is no copy at all.
 *
 * @param zone its id
 */
public record RecoverZone(int zone) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        out.writeIntLE(zone);
    }

    static RecoverZone read(ByteBuf in) {
        return new RecoverZone(in.readIntLE());
    }
}
