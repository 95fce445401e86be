package dev.granary.net.access;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * What both sides of a connection have said in its greeting; each proof is about it. As it has the nonces of both, no
 * proof is right for another connection. As it has the side that proves, none is right in the other direction.
 *
 * <pre>
 *  "granary-proof-1 caller" or "granary-proof-1 callee", ASCII
 *  sizeBytes int32, payload of the hello
 *  sizeBytes int32, payload of its reply                              little-endian
 * </pre>
 *
 * @param hello as it was sent; not changed by anybody
 * @param reply as it was sent; not changed by anybody
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record Transcript(byte[] hello, byte[] reply) {

    /** Who proves. */
    public enum Side {
        CALLER("granary-proof-1 caller"),
        CALLEE("granary-proof-1 callee");

        private final String label;

        Side(String label) {
            this.label = label;
        }
    }

    /** Returns the bytes whose MAC is the proof of one side. */
    byte[] bytes(Side side) {
        byte[] label = side.label.getBytes(StandardCharsets.US_ASCII);
        ByteBuffer bytes = ByteBuffer.allocate(label.length + 2 * Integer.BYTES + hello.length + reply.length)
                .order(ByteOrder.LITTLE_ENDIAN);
        bytes.put(label).putInt(hello.length).put(hello).putInt(reply.length).put(reply);
        return bytes.array();
    }
}
