package dev.granary.tools.bench.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** {@link Crowd} and {@link Stream}, with a server of this test. */
class CrowdTest {

    private static InetSocketAddress addressOf(ServerSocket server) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), server.getLocalPort());
    }

    @Test
    void crowd_serverClosesConnections_opensThemAgainFromManyAddresses() throws IOException {
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                Crowd crowd =
                        new Crowd(List.of(addressOf(server)), 3, Bytes.request("GET", "key"), Crowd.Manner.ONCE)) {
            crowd.begin();
            Set<InetAddress> addresses = new HashSet<>();
            for (int i = 0; i < 7; i++) {
                try (Socket accepted = server.accept()) {
                    addresses.add(accepted.getInetAddress());
                    byte[] sent = accepted.getInputStream().readNBytes(Bytes.request("GET", "key").length);
                    assertThat(sent).isEqualTo(Bytes.request("GET", "key"));
                }
            }
            assertThat(addresses).hasSizeGreaterThan(3);
        }
    }

    @Test
    void crowd_isClosed_closesItsConnections() throws IOException {
        List<Socket> accepted = new ArrayList<>();
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            try (Crowd crowd = new Crowd(List.of(addressOf(server)), 2, new byte[0], Crowd.Manner.ONCE)) {
                crowd.begin();
                accepted.add(server.accept());
                accepted.add(server.accept());
            }
            for (Socket socket : accepted) {
                assertThat(socket.getInputStream().read()).isNegative();
                socket.close();
            }
        }
    }

    @Test
    void stream_stepFails_goesOnUntilItIsClosed() throws Exception {
        AtomicLong steps = new AtomicLong();
        try (Stream stream = new Stream(1_000, number -> {
            steps.set(number);
            throw new IOException("planted");
        })) {
            stream.begin();
            while (steps.get() < 20) {
                Thread.sleep(1);
            }
        }
        long end = steps.get();
        Thread.sleep(20);
        assertThat(steps.get()).isEqualTo(end);
    }
}
