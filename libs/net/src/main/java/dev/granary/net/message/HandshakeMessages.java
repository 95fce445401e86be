package dev.granary.net.message;

import dev.granary.schema.U16;
import dev.granary.schema.U8;
import java.util.UUID;

/** Greets: who is speaking, to which cluster it belongs, the proof of it (ADR 0325), and as which user (ADR 0348). */
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
     * @param nonce 32 bytes that the caller never sends again, when it is going to prove that it has the cluster's
     *     secret; empty otherwise
     */
    public record Hello(
            @U8 int minVersion,
            @U8 int maxVersion,
            UUID clusterId,
            NodeRole role,
            @U16 int nid,
            long incarnation,
            @U16 int expectedNid,
            Blob nonce)
            implements Message {

        /** The hello of a caller that proves nothing. */
        public Hello(
                int minVersion,
                int maxVersion,
                UUID clusterId,
                NodeRole role,
                int nid,
                long incarnation,
                int expectedNid) {
            this(minVersion, maxVersion, clusterId, role, nid, incarnation, expectedNid, new Blob(new byte[0]));
        }
    }

    /**
     * Who answers a {@link Hello}.
     *
     * @param version the protocol version to use on this connection
     * @param clusterId the answering node's cluster; zero while it belongs to none
     * @param role what it is
     * @param nid its NID, 0 while it has none
     * @param incarnation its incarnation
     * @param nonce 32 bytes that it never sends again, when it waits for the caller's proof; empty otherwise
     */
    public record HelloReply(
            @U8 int version,
            UUID clusterId,
            NodeRole role,
            @U16 int nid,
            long incarnation,
            Blob nonce) implements Message {}

    /**
     * Proves that the caller has the cluster's secret: the second request of a connection whose hello was answered with
     * a nonce.
     *
     * @param proof HMAC-SHA256 under the secret, of the label, the hello and its reply
     */
    public record Prove(Blob proof) implements Message {}

    /**
     * Says who the caller is, to a node that has users: the last request of a greeting, which may come again later for
     * another user (ADR 0348). A node without users accepts every one.
     *
     * @param user the user's name
     * @param password in clear, as Redis clients send it: TLS keeps it from those who listen
     */
    public record Login(String user, String password) implements Message {

        /** Returns the user without the password. */
        @Override
        public String toString() {
            return "Login[user=" + user + "]";
        }
    }

    /**
     * Proves that the called node has the cluster's secret, too.
     *
     * @param proof as that of {@link Prove}, with the label of the called side
     */
    public record ProveReply(Blob proof) implements Message {}
}
