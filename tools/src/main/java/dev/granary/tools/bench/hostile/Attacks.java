package dev.granary.tools.bench.hostile;

import dev.granary.client.GranaryClient;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.List;

/** The hostile clients by name. */
final class Attacks {

    static final String IDLE = "idle-connections";
    static final String HALF = "half-frames";
    static final String EARLY = "large-frames-before-hello";
    static final String UNREAD = "no-reading";
    static final String LARGEST = "largest-requests";
    static final String STORM = "handshake-storm";
    static final String HOT = "hot-key";
    static final String IDS = "client-ids";

    static final List<String> NAMES = List.of(IDLE, HALF, EARLY, UNREAD, LARGEST, STORM, HOT, IDS);

    static final String HOT_KEY = "hot";

    private static final int IDLE_CONNECTIONS = 10_000;
    private static final int HALF_CONNECTIONS = 1_000;
    private static final int UNREAD_CONNECTIONS = 100;
    private static final int STORM_PER_SECOND = 1_000;
    private static final int HOT_PER_SECOND = 5_000;
    private static final int LARGEST_PER_SECOND = 4;
    private static final int IDS_PER_SECOND = 20_000;
    private static final int LARGEST_BYTES = 8 << 20;
    private static final int SMALL_BYTES = 64;

    private Attacks() {}

    /** Makes a hostile client. */
    static Attack of(String name, Target target, GranaryClient client) throws IOException {
        return switch (name) {
            case IDLE -> new Crowd(target.ports(), IDLE_CONNECTIONS, new byte[0], Crowd.Manner.ONCE);
            case HALF ->
                new Crowd(
                        List.of(target.storagePeer(), target.superPeer()),
                        HALF_CONNECTIONS,
                        Bytes.helloAndHalfAFrame(),
                        Crowd.Manner.ONCE);
            case EARLY ->
                new Crowd(
                        List.of(target.storagePeer(), target.superPeer()),
                        HALF_CONNECTIONS,
                        Bytes.largestFrameBeforeHello(),
                        Crowd.Manner.ONCE);
            case UNREAD ->
                new Crowd(
                        List.of(target.door()),
                        UNREAD_CONNECTIONS,
                        Bytes.request("GET", HOT_KEY),
                        Crowd.Manner.WITHOUT_READING);
            case LARGEST -> largest(client);
            case STORM -> new Stream(STORM_PER_SECOND, new Storm(target.ports()));
            case HOT -> new Stream(HOT_PER_SECOND, new HotKey(target.door()));
            case IDS -> new Stream(IDS_PER_SECOND, new ManyIds(target.storagePeer(), client));
            default -> throw new IllegalArgumentException("there is no case '" + name + "'; there are " + NAMES);
        };
    }

    private static Attack largest(GranaryClient client) {
        byte[] content = new byte[LARGEST_BYTES];
        long cid = client.create(content);
        return new Stream(LARGEST_PER_SECOND, new Stream.Step() {
            @Override
            public void once(long number) {
                client.put(cid, content);
            }

            @Override
            public void close() {
                client.delete(cid);
            }
        });
    }

    /** Connects, says hello where there is one, and goes. */
    private record Storm(List<InetSocketAddress> ports) implements Stream.Step {

        @Override
        public void once(long number) throws IOException {
            InetSocketAddress port = ports.get((int) (number % ports.size()));
            try (Socket socket = new Socket(port.getAddress(), port.getPort())) {
                socket.getOutputStream()
                        .write(number % ports.size() == ports.size() - 1 ? Bytes.request("HELLO") : Bytes.hello());
            }
        }
    }

    /** Asks for one key, and reads the replies later. */
    private static final class HotKey implements Stream.Step {

        private final Socket socket;
        private final byte[] request = Bytes.request("GET", HOT_KEY);
        private final byte[] sink = new byte[1 << 16];

        HotKey(InetSocketAddress door) throws IOException {
            socket = new Socket(door.getAddress(), door.getPort());
            socket.setTcpNoDelay(true);
        }

        @Override
        public void once(long number) throws IOException {
            socket.getOutputStream().write(request);
            int there = socket.getInputStream().available();
            if (there > 0) {
                int _ = socket.getInputStream().read(sink, 0, Math.min(there, sink.length));
            }
        }

        @Override
        public void close() {
            closeQuietly(socket);
        }
    }

    /** Changes a chunk, each time as a client that nobody has seen before. */
    private static final class ManyIds implements Stream.Step {

        private final Socket socket;
        private final GranaryClient client;
        private final long cid;
        private final byte[] content = new byte[SMALL_BYTES];
        private final byte[] sink = new byte[1 << 16];

        ManyIds(InetSocketAddress port, GranaryClient client) throws IOException {
            this.client = client;
            cid = client.create(content);
            socket = new Socket(port.getAddress(), port.getPort());
            socket.getOutputStream().write(Bytes.hello());
        }

        @Override
        public void once(long number) throws IOException {
            socket.getOutputStream().write(Bytes.put((1L << 40) + number, number + 1, cid, content));
            int there = socket.getInputStream().available();
            if (there > 0) {
                int _ = socket.getInputStream().read(sink, 0, Math.min(there, sink.length));
            }
        }

        @Override
        public void close() {
            closeQuietly(socket);
            client.delete(cid);
        }
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // It is gone in any case.
        }
    }
}
