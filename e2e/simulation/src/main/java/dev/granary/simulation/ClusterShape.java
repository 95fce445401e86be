package dev.granary.simulation;

import dev.granary.env.Environment;
import dev.granary.net.Transport;
import dev.granary.net.access.NodePorts;
import dev.granary.simulation.conditions.Tuning;
import dev.granary.storage.ChunkMemoryFactory;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * What a simulated cluster consists of, and what is wrong with it on purpose. The processes take their world from
 * outside, so a bug is planted by giving them another world; their code stays as it is. Immutable: each {@code with}
 * method returns a changed copy.
 */
public final class ClusterShape {

    private static final long ONE_SECOND_NANOS = 1_000_000_000;

    private final int storagePeers;
    private final int clients;

    // Set only on a fresh copy, before anybody else sees it.
    private int superPeers;
    private UnaryOperator<Environment> storageWorld = UnaryOperator.identity();
    private UnaryOperator<Environment> superPeerWorld = UnaryOperator.identity();
    private BiFunction<Environment, Transport, Transport> superPeerNetwork = (world, transport) -> transport;
    private BiFunction<Environment, Transport, Transport> storageNetwork = (world, transport) -> transport;
    private UnaryOperator<ChunkMemoryFactory> memories = UnaryOperator.identity();
    private boolean newcomersFound;
    private boolean impostorsBelieved;
    private boolean replicated;
    private Optional<Boolean> keys = Optional.empty();
    private boolean busyKeys;
    private Tuning tuning = Tuning.usual();
    private Supplier<NodePorts> ports = () -> NodePorts.NONE;

    private ClusterShape(int superPeers, int storagePeers, int clients) {
        this.superPeers = superPeers;
        this.storagePeers = storagePeers;
        this.clients = clients;
    }

    /**
     * Returns a cluster with nothing planted, leases of one second, and chunks without copies.
     *
     * @param superPeers 1 to 9
     */
    public static ClusterShape of(int superPeers, int storagePeers, int clients) {
        return new ClusterShape(superPeers, storagePeers, clients);
    }

    private ClusterShape copy() {
        ClusterShape copy = new ClusterShape(superPeers, storagePeers, clients);
        copy.storageWorld = storageWorld;
        copy.superPeerWorld = superPeerWorld;
        copy.superPeerNetwork = superPeerNetwork;
        copy.storageNetwork = storageNetwork;
        copy.memories = memories;
        copy.newcomersFound = newcomersFound;
        copy.impostorsBelieved = impostorsBelieved;
        copy.replicated = replicated;
        copy.keys = keys;
        copy.busyKeys = busyKeys;
        copy.tuning = tuning;
        copy.ports = ports;
        return copy;
    }

    /** Returns this shape with another number of super-peers, 1 to 9. */
    public ClusterShape withSuperPeers(int changed) {
        ClusterShape copy = copy();
        copy.superPeers = changed;
        return copy;
    }

    /** Returns this shape with a function that replaces the environment of each storage peer. */
    public ClusterShape withStorageWorld(UnaryOperator<Environment> changed) {
        ClusterShape copy = copy();
        copy.storageWorld = changed;
        return copy;
    }

    /** Returns this shape with a function that replaces the environment of each super-peer. */
    public ClusterShape withSuperPeerWorld(UnaryOperator<Environment> changed) {
        ClusterShape copy = copy();
        copy.superPeerWorld = changed;
        return copy;
    }

    /** Returns this shape with a function that replaces the network of each super-peer. */
    public ClusterShape withSuperPeerNetwork(BiFunction<Environment, Transport, Transport> changed) {
        ClusterShape copy = copy();
        copy.superPeerNetwork = changed;
        return copy;
    }

    /** Returns this shape with a function that replaces the network of each storage peer. */
    public ClusterShape withStorageNetwork(BiFunction<Environment, Transport, Transport> changed) {
        ClusterShape copy = copy();
        copy.storageNetwork = changed;
        return copy;
    }

    /** Returns this shape with a function that replaces how storage peers open their chunk memory. */
    public ClusterShape withMemories(UnaryOperator<ChunkMemoryFactory> changed) {
        ClusterShape copy = copy();
        copy.memories = changed;
        return copy;
    }

    /** Returns this shape with another rule: whether a super-peer that replaces a lost one founds a cluster. */
    public ClusterShape withNewcomersFound(boolean changed) {
        ClusterShape copy = copy();
        copy.newcomersFound = changed;
        return copy;
    }

    /** Returns this shape with another rule: whether impostors prove to storage peers that they are super-peers. */
    public ClusterShape withImpostorsBelieved(boolean changed) {
        ClusterShape copy = copy();
        copy.impostorsBelieved = changed;
        return copy;
    }

    /**
     * Returns this shape with or without copies of chunks. With copies, no chunk is lost with one or two storage peers.
     */
    public ClusterShape withReplicated(boolean changed) {
        ClusterShape copy = copy();
        copy.replicated = changed;
        return copy;
    }

    /** Returns this shape with or without clients that use keys; otherwise the seed decides. */
    public ClusterShape withKeys(boolean wanted) {
        ClusterShape copy = copy();
        copy.keys = Optional.of(wanted);
        return copy;
    }

    /** Returns this shape with as many clients that use keys as there may be, which often meet at the same few keys. */
    public ClusterShape withBusyKeys() {
        ClusterShape copy = withKeys(true);
        copy.busyKeys = true;
        return copy;
    }

    /** Returns this shape with other sizes and times of the processes. */
    ClusterShape withTuning(Tuning changed) {
        ClusterShape copy = copy();
        copy.tuning = changed;
        return copy;
    }

    /** Returns this shape with other ports, which are asked for when a process starts. */
    ClusterShape withPorts(Supplier<NodePorts> changed) {
        ClusterShape copy = copy();
        copy.ports = changed;
        return copy;
    }

    NodePorts ports() {
        return ports.get();
    }

    Optional<Boolean> keys() {
        return keys;
    }

    boolean areKeysBusy() {
        return busyKeys;
    }

    Tuning tuning() {
        return tuning;
    }

    public int superPeers() {
        return superPeers;
    }

    public int storagePeers() {
        return storagePeers;
    }

    public int clients() {
        return clients;
    }

    /** The length of leases. */
    public long leaseNanos() {
        return ONE_SECOND_NANOS;
    }

    public boolean replicated() {
        return replicated;
    }

    UnaryOperator<Environment> storageWorld() {
        return storageWorld;
    }

    UnaryOperator<Environment> superPeerWorld() {
        return superPeerWorld;
    }

    BiFunction<Environment, Transport, Transport> superPeerNetwork() {
        return superPeerNetwork;
    }

    BiFunction<Environment, Transport, Transport> storageNetwork() {
        return storageNetwork;
    }

    UnaryOperator<ChunkMemoryFactory> memories() {
        return memories;
    }

    boolean newcomersFound() {
        return newcomersFound;
    }

    boolean impostorsBelieved() {
        return impostorsBelieved;
    }
}
