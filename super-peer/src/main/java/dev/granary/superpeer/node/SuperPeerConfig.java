package dev.granary.superpeer.node;

import dev.granary.net.access.ClusterSecret;
import dev.granary.net.access.NodePorts;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Placement;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of a super-peer.
 *
 * @param name for people
 * @param listen where to listen; port 0 takes any free port
 * @param advertiseHost host under which others reach it
 * @param advertisePort port under which others reach it; 0 means the one that is listened on
 * @param seeds super-peers to ask first; may name this one
 * @param ringSize the number of super-peers to found the ring for; matters with {@code bootstrap} on an empty disk only
 * @param bootstrap whether to found a cluster when the disk is empty
 * @param leaseNanos how long storage peers' leases are while there are three super-peers or more on the ring
 * @param aloneLeaseNanos how long leases are while there are fewer super-peers: when one fails, the others cannot go on
 *     without it
 * @param lidBlock how many LIDs are reserved at a time at first, which is also the size of the smallest zone
 * @param backups how many copies of each zone other storage peers hold, 0 to 3; fewer while there are fewer other peers
 * @param version of the program, for people
 * @param memory how much memory the parts may take
 * @param ports the ports of the binary protocol beside the one that is advertised
 * @param secret the cluster's secret; null when nobody proves anything
 */
public record SuperPeerConfig(
        String name,
        HostAddress listen,
        String advertiseHost,
        int advertisePort,
        List<HostAddress> seeds,
        int ringSize,
        boolean bootstrap,
        long leaseNanos,
        long aloneLeaseNanos,
        long lidBlock,
        int backups,
        String version,
        SuperPeerMemory memory,
        NodePorts ports,
        @Nullable ClusterSecret secret) {

    /** Makes a configuration with all the memory that the parts ever need, and without a secret. */
    public SuperPeerConfig(
            String name,
            HostAddress listen,
            String advertiseHost,
            int advertisePort,
            List<HostAddress> seeds,
            int ringSize,
            boolean bootstrap,
            long leaseNanos,
            long aloneLeaseNanos,
            long lidBlock,
            int backups,
            String version) {
        this(
                name,
                listen,
                advertiseHost,
                advertisePort,
                seeds,
                ringSize,
                bootstrap,
                leaseNanos,
                aloneLeaseNanos,
                lidBlock,
                backups,
                version,
                SuperPeerMemory.ample(),
                NodePorts.NONE,
                null);
    }

    /** The default number of LIDs that are reserved at a time at first. */
    public static final long DEFAULT_LID_BLOCK = 1 << 16;

    /** The default number of copies of each zone. */
    public static final int DEFAULT_BACKUPS = 3;

    /** Copies the seeds and checks the numbers. */
    public SuperPeerConfig {
        seeds = List.copyOf(seeds);
        if (ringSize < 1) {
            throw new IllegalArgumentException("ring size " + ringSize + " is less than 1");
        }
        if (leaseNanos <= 0 || aloneLeaseNanos <= 0 || lidBlock <= 0) {
            throw new IllegalArgumentException("lease length and LID block must be positive");
        }
        if (backups < 0 || backups > Placement.MAX_BACKUPS) {
            throw new IllegalArgumentException(backups + " backups are not within 0.." + Placement.MAX_BACKUPS);
        }
    }

    /** With this many super-peers any one may fail: the others go on without it. */
    private static final int ENOUGH_SUPER_PEERS = 3;

    /** Returns the same with other ports beside the one that is advertised. */
    public SuperPeerConfig withPorts(NodePorts other) {
        return new SuperPeerConfig(
                name,
                listen,
                advertiseHost,
                advertisePort,
                seeds,
                ringSize,
                bootstrap,
                leaseNanos,
                aloneLeaseNanos,
                lidBlock,
                backups,
                version,
                memory,
                other,
                secret);
    }

    /**
     * Returns how long leases are with {@code superPeers} on the ring (SAFETY rule "sizes of Raft groups", ADR 0121).
     */
    public long leaseNanos(int superPeers) {
        return canLoseOne(superPeers) ? leaseNanos : aloneLeaseNanos;
    }

    /** Whether any one of so many super-peers may fail, and the others go on without it. */
    public static boolean canLoseOne(int superPeers) {
        return superPeers >= ENOUGH_SUPER_PEERS;
    }

    /** Returns the address to give to others, once the port on which this super-peer listens is known. */
    public HostAddress advertised(int boundPort) {
        return new HostAddress(advertiseHost, advertisePort == 0 ? boundPort : advertisePort);
    }
}
