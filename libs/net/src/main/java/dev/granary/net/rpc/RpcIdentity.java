package dev.granary.net.rpc;

import dev.granary.net.Frame;
import dev.granary.net.access.Role;
import dev.granary.net.access.Standing;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.HandshakeMessages.Hello;
import dev.granary.net.message.HandshakeMessages.HelloReply;
import dev.granary.net.message.NodeRole;
import dev.granary.overlay.Nid;
import java.util.UUID;
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
    private volatile UUID clusterId = NO_CLUSTER;
    private volatile int nid = Nid.NONE;

    /**
     * Makes an identity that knows neither cluster nor NID.
     *
     * @param incarnation the random number of this start of the process; 0 for a client
     */
    public RpcIdentity(NodeRole role, long incarnation) {
        this.role = role;
        this.incarnation = incarnation;
    }

    /** Returns the identity of a client that does not know its cluster yet. */
    public static RpcIdentity client() {
        return new RpcIdentity(NodeRole.CLIENT, 0);
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
        return new Hello(Frame.VERSION, Frame.VERSION, clusterId, role, nid, incarnation, expectedNid);
    }

    HelloReply helloReply() {
        return new HelloReply(Frame.VERSION, clusterId, role, nid, incarnation);
    }

    /** Returns what a caller may send that is not refused. */
    Standing standingOf(Hello caller) {
        return switch (caller.role()) {
            case CLIENT -> Standing.of(Role.CLIENT, Role.ADMINISTRATOR);
            case STORAGE_PEER -> Standing.of(Role.STORAGE_PEER);
            case SUPER_PEER -> Standing.of(Role.SUPER_PEER);
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
        return null;
    }

    private boolean isOtherCluster(UUID other) {
        UUID own = clusterId;
        return !own.equals(NO_CLUSTER) && !other.equals(NO_CLUSTER) && !own.equals(other);
    }
}
