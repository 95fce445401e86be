package dev.granary.overlay.name;

import dev.granary.overlay.Nid;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/**
 * Where a name lies on the ring: at the NID 1 + CRC-32C(name) mod 65535. The super-peer whose arc holds that position
 * answers for the name (SAFETY rule "ways around the owner"; ADR 0096). A name never moves on the ring, so a promotion
 * takes the names of one part of an arc and no others. Stateless.
 */
public final class NamePosition {

    private NamePosition() {}

    /** The position of a name's bytes, 1..65535. */
    public static int of(byte[] name) {
        CRC32C crc = new CRC32C();
        crc.update(name);
        return (int) (Nid.MIN + crc.getValue() % Nid.MAX);
    }

    /** {@link #of(byte[])} for the UTF-8 bytes of a text. */
    public static int of(String name) {
        return of(name.getBytes(StandardCharsets.UTF_8));
    }
}
