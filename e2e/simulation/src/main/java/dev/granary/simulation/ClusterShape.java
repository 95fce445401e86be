package dev.granary.simulation;

import dev.granary.env.Environment;
import dev.granary.net.Transport;
import dev.granary.storage.ChunkMemoryFactory;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;

/**
 * What a simulated cluster is made of, and what is wrong with it on purpose: the processes take their world from outside,
 * so a bug is planted by giving them another world, and their code stays as it is.
 *
 * @param superPeers 1 to 9
 * @param storagePeers number of storage peers
 * @param clients number of clients
 * @param leaseNanos length of leases
 * @param storageWorld what becomes of the environment of storage peers
 * @param superPeerWorld what becomes of the environment of super-peers
 * @param superPeerNetwork what becomes of the network of super-peers
 * @param storageNetwork what becomes of the network of storage peers
 * @param memories what becomes of the way in which storage peers open their chunk memory
 * @param newcomersFound whether a super-peer that comes in the place of a lost one is told to found a cluster
 * @param replicated whether chunks have copies, so that none is ever lost with one storage peer, or two
 */
public record ClusterShape(
        int superPeers,
        int storagePeers,
        int clients,
        long leaseNanos,
        UnaryOperator<Environment> storageWorld,
        UnaryOperator<Environment> superPeerWorld,
        BiFunction<Environment, Transport, Transport> superPeerNetwork,
        BiFunction<Environment, Transport, Transport> storageNetwork,
        UnaryOperator<ChunkMemoryFactory> memories,
        boolean newcomersFound,
        boolean replicated) {

    private static final long ONE_SECOND_NANOS = 1_000_000_000;

    /** A cluster with nothing planted, leases of one second. */
    public static ClusterShape of(int superPeers, int storagePeers, int clients) {
        return new ClusterShape(
                superPeers,
                storagePeers,
                clients,
                ONE_SECOND_NANOS,
                UnaryOperator.identity(),
                UnaryOperator.identity(),
                (world, transport) -> transport,
                (world, transport) -> transport,
                UnaryOperator.identity(),
                false,
                false);
    }

    public ClusterShape withStorageWorld(UnaryOperator<Environment> changed) {
        return new ClusterShape(
                superPeers,
                storagePeers,
                clients,
                leaseNanos,
                changed,
                superPeerWorld,
                superPeerNetwork,
                storageNetwork,
                memories,
                newcomersFound,
                replicated);
    }

    public ClusterShape withSuperPeerWorld(UnaryOperator<Environment> changed) {
        return new ClusterShape(
                superPeers,
                storagePeers,
                clients,
                leaseNanos,
                storageWorld,
                changed,
                superPeerNetwork,
                storageNetwork,
                memories,
                newcomersFound,
                replicated);
    }

    public ClusterShape withSuperPeerNetwork(BiFunction<Environment, Transport, Transport> changed) {
        return new ClusterShape(
                superPeers,
                storagePeers,
                clients,
                leaseNanos,
                storageWorld,
                superPeerWorld,
                changed,
                storageNetwork,
                memories,
                newcomersFound,
                replicated);
    }

    public ClusterShape withStorageNetwork(BiFunction<Environment, Transport, Transport> changed) {
        return new ClusterShape(
                superPeers,
                storagePeers,
                clients,
                leaseNanos,
                storageWorld,
                superPeerWorld,
                superPeerNetwork,
                changed,
                memories,
                newcomersFound,
                replicated);
    }

    public ClusterShape withMemories(UnaryOperator<ChunkMemoryFactory> changed) {
        return new ClusterShape(
                superPeers,
                storagePeers,
                clients,
                leaseNanos,
                storageWorld,
                superPeerWorld,
                superPeerNetwork,
                storageNetwork,
                changed,
                newcomersFound,
                replicated);
    }

    public ClusterShape withNewcomersFound(boolean changed) {
        return new ClusterShape(
                superPeers,
                storagePeers,
                clients,
                leaseNanos,
                storageWorld,
                superPeerWorld,
                superPeerNetwork,
                storageNetwork,
                memories,
                changed,
                replicated);
    }

    public ClusterShape withReplicated(boolean changed) {
        return new ClusterShape(
                superPeers,
                storagePeers,
                clients,
                leaseNanos,
                storageWorld,
                superPeerWorld,
                superPeerNetwork,
                storageNetwork,
                memories,
                newcomersFound,
                changed);
    }
}
