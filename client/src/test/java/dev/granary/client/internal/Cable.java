package dev.granary.client.internal;

import dev.granary.overlay.HostAddress;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Passes connections on to a server, and resets them when it is told to. */
final class Cable implements AutoCloseable {

    private final HostAddress target;
    private final ServerSocket server;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final AtomicInteger repliesToLose = new AtomicInteger();
    private final AtomicInteger repliesLost = new AtomicInteger();
    private final AtomicInteger connectionsToSwallow = new AtomicInteger();

    Cable(HostAddress target) throws IOException {
        this.target = target;
        this.server = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
    }

    HostAddress address() {
        return new HostAddress("127.0.0.1", server.getLocalPort());
    }

    /** Resets the connections of the next replies in place of passing these on: their requests have arrived. */
    void loseReplies(int count) {
        repliesToLose.addAndGet(count);
    }

    /** Accepts the next connections, and passes nothing on. */
    void swallow(int count) {
        connectionsToSwallow.addAndGet(count);
    }

    /** How many were lost. */
    int repliesLost() {
        return repliesLost.get();
    }

    /** Resets all connections. */
    void pull() {
        sockets.forEach(Cable::reset);
    }

    /** How many connections are open, both sides of each counted as one. */
    int connections() {
        return sockets.size() / 2;
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket caller = server.accept();
                if (connectionsToSwallow.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                    sockets.add(caller);
                    continue;
                }
                Socket called = new Socket(target.host(), target.port());
                caller.setTcpNoDelay(true);
                called.setTcpNoDelay(true);
                sockets.add(caller);
                sockets.add(called);
                Thread.ofVirtual().start(() -> pass(caller, called, false));
                Thread.ofVirtual().start(() -> pass(called, caller, true));
            } catch (IOException e) {
                // Closed, or the server is gone.
            }
        }
    }

    private void pass(Socket from, Socket to, boolean replies) {
        byte[] bytes = new byte[1 << 16];
        try {
            for (int count = from.getInputStream().read(bytes);
                    count >= 0;
                    count = from.getInputStream().read(bytes)) {
                if (replies && repliesToLose.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                    repliesLost.incrementAndGet();
                    break;
                }
                to.getOutputStream().write(bytes, 0, count);
            }
        } catch (IOException e) {
            // The other direction ends as well.
        }
        end(from);
        end(to);
    }

    private void end(Socket socket) {
        reset(socket);
        sockets.remove(socket);
    }

    private static void reset(Socket socket) {
        try {
            socket.setSoLinger(true, 0);
            socket.close();
        } catch (IOException e) {
            // It is closed.
        }
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            // It does not accept any more.
        }
        pull();
    }
}
