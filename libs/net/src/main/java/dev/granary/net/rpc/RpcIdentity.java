package dev.granary.net.rpc;

import dev.granary.net.Frame;
import dev.granary.net.Proof;
import dev.granary.net.access.Credentials;
import dev.granary.net.access.Role;
import dev.granary.net.access.Standing;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.HandshakeMessages.Hello;
import dev.granary.net.message.HandshakeMessages.HelloReply;
import dev.granary.net.message.HandshakeMessages.Login;
import dev.granary.net.message.NodeRole;
import dev.granary.overlay.Nid;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The identity of this node, which it sends in the hello of each connection. The node learns cluster and NID while it
 * starts, and they never change afterwards. Thread-safe.
 */
public final class RpcIdentity {

    /** Stands for a cluster that is not known yet. */
    public static final UUID NO_CLUSTER = new UUID(0, 0);

    private final NodeRole role;
    private final long incarnation;
    private final Credentials credentials;
    private final Supplier<@Nullable Login> login;
    private volatile UUID clusterId = NO_CLUSTER;
    private volatile int nid = Nid.NONE;

    /**
     * Makes an identity that knows neither cluster nor NID.
     *
     * @param incarnation the random number of this start of the process; 0 for a client
     */
    public RpcIdentity(NodeRole role, long incarnation) {
        this(role, incarnation, Credentials.none());
    }

    /**
     * The same for one that proves itself to those whom it calls, and asks for proofs.
     *
     * @param incarnation the random number of this start of the process; 0 for a client
     */
    public RpcIdentity(NodeRole role, long incarnation, Credentials credentials) {
        this(role, incarnation, credentials, () -> null);
    }

    /**
     * The same for a client that logs in.
     *
     * @param login gives the user and its password for each connection, null for none; on an I/O thread. What it throws
     *     as an {@link java.io.UncheckedIOException} ends the greeting
     */
    public RpcIdentity(NodeRole role, long incarnation, Credentials credentials, Supplier<@Nullable Login> login) {
        this.role = role;
        this.incarnation = incarnation;
        this.credentials = credentials;
        this.login = login;
    }

    /** Returns the identity of a client that does not know its cluster yet. */
    public static RpcIdentity client() {
        return new RpcIdentity(NodeRole.CLIENT, 0);
    }

    Credentials credentials() {
        return credentials;
    }

    @Nullable
    Login login() {
        return login.get();
    }

    public NodeRole role() {
        return role;
    }

    public long incarnation() {
        return incarnation;
    }

    /** Returns the cluster of this node, {@link #NO_CLUSTER} while it is not known. */
    public UUID clusterId() {
        return clusterId;
    }

    /** Returns the node's NID, 0 while it has none. */
    public int nid() {
        return nid;
    }

    /**
     * Sets the cluster for connections from now on.
     *
     * @throws IllegalStateException when another cluster is known already
     */
    public synchronized void joinCluster(UUID id) {
        if (!clusterId.equals(NO_CLUSTER) && !clusterId.equals(id)) {
            throw new IllegalStateException("this node belongs to cluster " + clusterId + ", not to " + id);
        }
        clusterId = id;
    }

    /**
     * Sets the NID for connections from now on.
     *
     * @throws IllegalStateException when another NID is known already
     */
    public synchronized void takeNid(int given) {
        if (nid != Nid.NONE && nid != given) {
            throw new IllegalStateException("this node has the NID " + Nid.toHex(nid) + ", not " + Nid.toHex(given));
        }
        nid = Nid.requireValid(given);
    }

    Hello hello(int expectedNid) {
        return new Hello(
                Frame.VERSION, Frame.VERSION, clusterId, role, nid, incarnation, expectedNid, credentials.nonce());
    }

    /** Answers a hello, with a nonce when this node waits for the caller's proof. */
    HelloReply replyTo(Hello caller) {
        return new HelloReply(
                Frame.VERSION,
                clusterId,
                role,
                nid,
                incarnation,
                mayProve(caller) ? credentials.nonce() : Credentials.noNonce());
    }

    private static boolean mayProve(Hello caller) {
        return caller.nonce().bytes().length > 0;
    }

    /**
     * Returns what a caller may send that is not refused. Where there is no secret, each caller is what it says.
     *
     * @param proved whether it has proved that it has the cluster's secret
     * @param shown what its certificate says
     */
    Standing standingOf(Hello caller, boolean proved, Proof.Role shown) {
        return switch (caller.role()) {
            case CLIENT ->
                mayAdminister(proved, shown) ? Standing.of(Role.CLIENT, Role.ADMINISTRATOR) : Standing.of(Role.CLIENT);
            case STORAGE_PEER -> Standing.of(Role.STORAGE_PEER);
            case SUPER_PEER -> Standing.of(Role.SUPER_PEER);
        };
    }

    /**
     * Returns whether a caller may do what the node's users say, if it has users: a client that has proved nothing.
     * Arguments are as those of {@link #standingOf}.
     */
    static boolean isSubjectToUsers(Hello caller, boolean proved, Proof.Role shown) {
        boolean unproved = shown == Proof.Role.UNPROVED || shown == Proof.Role.CLIENT || shown == Proof.Role.MONITOR;
        return caller.role() == NodeRole.CLIENT && !proved && unproved;
    }

    /** Where neither a secret nor a certificate can prove anything, everybody is believed. */
    private boolean mayAdminister(boolean proved, Proof.Role shown) {
        return switch (shown) {
            case UNPROVED -> proved || !credentials.exist();
            case CLIENT, MONITOR -> proved;
            case OPERATOR, SUPER_PEER, STORAGE_PEER -> true;
        };
    }

    /** Returns why this node refuses a caller, or null when it does not. */
    @Nullable
    ErrorReply refusalOf(Hello caller) {
        if (caller.minVersion() > Frame.VERSION || caller.maxVersion() < Frame.VERSION) {
            return ErrorReply.of(
                    ErrorCode.UNSUPPORTED_VERSION,
                    "the caller speaks protocol versions %d to %d, this node only %d"
                            .formatted(caller.minVersion(), caller.maxVersion(), Frame.VERSION));
        }
        if (isOtherCluster(caller.clusterId())) {
            return ErrorReply.of(
                    ErrorCode.WRONG_CLUSTER,
                    "the caller expects cluster " + caller.clusterId() + ", this node belongs to " + clusterId);
        }
        if (caller.expectedNid() != Nid.NONE && caller.expectedNid() != nid) {
            return ErrorReply.of(
                    ErrorCode.WRONG_NODE,
                    "the caller expects node " + Nid.toHex(caller.expectedNid()) + ", this is " + Nid.toHex(nid));
        }
        if (caller.nonce().bytes().length != 0 && caller.nonce().bytes().length != Credentials.NONCE_BYTES) {
            return ErrorReply.of(
                    ErrorCode.BAD_REQUEST, "a nonce of " + caller.nonce().bytes().length + " bytes");
        }
        if (credentials.exist() && caller.role() != NodeRole.CLIENT && !mayProve(caller)) {
            return ErrorReply.of(
                    ErrorCode.NOT_PERMITTED,
                    "this node takes a node's word only with the cluster's secret: set cluster.secret.file of the caller"
                            + " to a file with the secret of this cluster");
        }
        return null;
    }

    /** Returns why this node refuses the node that it called, or null when it does not. */
    @Nullable
    ErrorReply refusalOf(HelloReply answer, int expectedNid) {
        if (answer.version() != Frame.VERSION) {
            return ErrorReply.of(
                    ErrorCode.UNSUPPORTED_VERSION,
                    "the called node chose protocol version " + answer.version() + ", this node speaks only "
                            + Frame.VERSION);
        }
        if (isOtherCluster(answer.clusterId())) {
            return ErrorReply.of(
                    ErrorCode.WRONG_CLUSTER,
                    "the called node belongs to cluster " + answer.clusterId() + ", this node to " + clusterId);
        }
        if (expectedNid != Nid.NONE && expectedNid != answer.nid()) {
            return ErrorReply.of(
                    ErrorCode.WRONG_NODE,
                    "node " + Nid.toHex(expectedNid) + " was expected, " + Nid.toHex(answer.nid()) + " answers");
        }
        if (credentials.exist() && answer.nonce().bytes().length != Credentials.NONCE_BYTES) {
            return ErrorReply.of(
                    ErrorCode.NOT_PERMITTED,
                    "the called node has no cluster secret, and this one talks only to nodes that prove that they have"
                            + " the same: set cluster.secret.file of all nodes of the cluster, or of none");
        }
        return null;
    }

    private boolean isOtherCluster(UUID other) {
        UUID own = clusterId;
        return !own.equals(NO_CLUSTER) && !other.equals(NO_CLUSTER) && !own.equals(other);
    }
}
