package dev.granary.testkit;

import dev.granary.net.Connection;
import dev.granary.net.ConnectionHandler;
import dev.granary.net.Transport;
import dev.granary.overlay.HostAddress;
import io.netty.buffer.ByteBufAllocator;
import java.net.BindException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The network as one life of a process has it. */
final class SimulatedTransport implements Transport {

    private final SimulatedNetwork network;
    private final SimulatedNode.Life life;
    private final TreeMap<Integer, Acceptor> listeners = new TreeMap<>();
    private final List<SimulatedConnection> connections = new ArrayList<>();
    private boolean closed;

    SimulatedTransport(SimulatedNetwork network, SimulatedNode.Life life) {
        this.network = network;
        this.life = life;
    }

    @Override
    public CompletableFuture<HostAddress> listen(HostAddress bind, Acceptor acceptor) {
        if (closed) {
            return CompletableFuture.failedFuture(new IllegalStateException("the transport is closed"));
        }
        int port = bind.port() == 0 ? life.node().takePort() : bind.port();
        if (listeners.putIfAbsent(port, acceptor) != null) {
            return CompletableFuture.failedFuture(new BindException("port " + port + " is taken"));
        }
        CompletableFuture<HostAddress> bound = new CompletableFuture<>();
        network.simulation().schedule(0, life, () -> bound.complete(new HostAddress(bind.host(), port)));
        return bound;
    }

    @Override
    public CompletableFuture<Connection> connect(HostAddress remote, ConnectionHandler handler) {
        if (closed) {
            return CompletableFuture.failedFuture(new IllegalStateException("the transport is closed"));
        }
        return network.connect(life, remote, handler);
    }

    @Override
    public ByteBufAllocator allocator() {
        return life.node().buffers();
    }

    /** What nobody has taken yet: in a real process it would stand in the buffers of its sockets and in its own. */
    @Override
    public long outboundBytes() {
        return connections.stream().mapToLong(SimulatedConnection::unreadBytes).sum();
    }

    @Override
    public void close() {
        closed = true;
        listeners.clear();
        List.copyOf(connections).forEach(SimulatedConnection::close);
    }

    @Nullable
    Acceptor acceptor(int port) {
        return listeners.get(port);
    }

    void add(SimulatedConnection connection) {
        connections.add(connection);
    }

    void remove(SimulatedConnection connection) {
        connections.remove(connection);
    }

    int resetConnectionsWith(String host) {
        List<SimulatedConnection> found = connectionsWith(host);
        found.forEach(SimulatedConnection::resetBoth);
        return found.size();
    }

    /** The connections with a node that are open here, oldest first. */
    List<SimulatedConnection> connectionsWith(String host) {
        return connections.stream()
                .filter(connection -> connection.remoteAddress().host().equals(host))
                .toList();
    }

    /** The process has ended; without a loss of power its machine ends the connections. */
    void end(boolean powerLost) {
        closed = true;
        listeners.clear();
        List.copyOf(connections)
                .forEach(powerLost ? SimulatedConnection::dropByMachine : SimulatedConnection::closeByMachine);
        connections.clear();
    }
}
