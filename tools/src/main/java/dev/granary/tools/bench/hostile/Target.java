package dev.granary.tools.bench.hostile;

import java.net.InetSocketAddress;
import java.util.List;

/**
 * What is attacked: a cluster of this machine.
 *
 * @param storagePeer its port of the binary protocol
 * @param superPeer its port of the binary protocol
 * @param door the storage peer's port for Redis clients
 * @param pids the processes of the cluster
 */
record Target(InetSocketAddress storagePeer, InetSocketAddress superPeer, InetSocketAddress door, List<Long> pids) {

    /** Returns all ports that clients reach. */
    List<InetSocketAddress> ports() {
        return List.of(storagePeer, superPeer, door);
    }
}
