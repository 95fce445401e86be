package dev.granary.net.message;

import dev.granary.schema.U16;
import dev.granary.schema.U8;
import java.util.UUID;

/** Greets: who is speaking, and to which cluster it belongs. */
public final class HandshakeMessages {

    private HandshakeMessages() {}

    /**
     * The first request on every connection: who calls, and whom it expects (SAFETY: addresses are never identity).
     *
     * @param minVersion the oldest protocol version that the caller speaks
     * @param maxVersion the newest
     * @param clusterId the cluster that the caller belongs to or expects; zero when it does not know yet
     * @param role what the caller is
     * @param nid the caller's NID, 0 when it has none
     * @param incarnation the caller's incarnation, 0 for a client
     * @param expectedNid the NID that the caller expects to reach, 0 when any will do
     */
    public record Hello(
            @U8 int minVersion,
            @U8 int maxVersion,
            UUID clusterId,
            NodeRole role,
            @U16 int nid,
            long incarnation,
            @U16 int expectedNid)
            implements Message {}

    /**
     * Who answers a {@link Hello}.
     *
     * @param version the protocol version to use on this connection
     * @param clusterId the answering node's cluster; zero while it belongs to none
     * @param role what it is
     * @param nid its NID, 0 while it has none
     * @param incarnation its incarnation
     */
    public record HelloReply(
            @U8 int version,
            UUID clusterId,
            NodeRole role,
            @U16 int nid,
            long incarnation) implements Message {}
}
