package dev.granary.tools.bench.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.bench.redis.ListedRequests;
import dev.granary.bench.redis.Operation;
import dev.granary.bench.redis.RespWire;
import dev.granary.bench.redis.Wire;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** {@link Subject}, with a store of this test. */
class SubjectTest {

    /** Refuses every so manieth request, whatever it is. */
    private static final class RefusingStore implements MeasuredStore {

        private final ServerSocket server;
        private final int period;

        RefusingStore(int period) throws IOException {
            this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
            this.period = period;
            Thread.ofPlatform().daemon().start(this::serve);
        }

        private void serve() {
            try (Socket client = server.accept()) {
                byte[] bytes = new byte[1 << 12];
                int requests = 0;
                for (int read = client.getInputStream().read(bytes);
                        read > 0;
                        read = client.getInputStream().read(bytes)) {
                    // With one request on its way at a time, a read has one, or a part of one that is not its end.
                    String text = new String(bytes, 0, read, StandardCharsets.ISO_8859_1);
                    if (text.endsWith("\r\n")) {
                        String reply = ++requests % period == 0 ? "-OOM no room\r\n" : "+OK\r\n";
                        client.getOutputStream().write(reply.getBytes(StandardCharsets.US_ASCII));
                    }
                }
            } catch (IOException closed) {
                // The test is over.
            }
        }

        @Override
        public StoreKind kind() {
            return StoreKind.GRANARY;
        }

        @Override
        public int copies() {
            return 1;
        }

        @Override
        public String version() {
            return "1";
        }

        @Override
        public List<InetSocketAddress> addresses() {
            return List.of(new InetSocketAddress(server.getInetAddress(), server.getLocalPort()));
        }

        @Override
        public List<Long> servers() {
            return List.of(ProcessHandle.current().pid());
        }

        @Override
        public List<Long> others() {
            return List.of();
        }

        @Override
        public Wire wire(int expirySeconds) {
            return new RespWire(expirySeconds);
        }

        @Override
        public long ownBytes() {
            return 0;
        }

        @Override
        public void limitMemory(long bytes) {}

        @Override
        public void close() {
            try {
                server.close();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private static Subject subject(int period) throws IOException {
        RedisPlan plan =
                new RedisPlan(10, 16, 16, 16, 1, List.of(1), 1, 0, 10, List.of("granary"), List.of(1), RedisPlan.CASES);
        return Subject.of(new RefusingStore(period), plan);
    }

    private static ListedRequests sets(int count) {
        return new ListedRequests(count, key -> Operation.set(key, 0));
    }

    @Test
    void runWhole_someAreRefused_areSentAgain() throws IOException {
        try (Subject subject = subject(10)) {
            assertThat(subject.runWhole(sets(12), 1).result().errors()).isEqualTo(1);
        }
    }

    @Test
    void runWhole_allAreRefused_fails() throws IOException {
        try (Subject subject = subject(1)) {
            assertThatThrownBy(() -> subject.runWhole(sets(12), 1))
                    .isInstanceOf(RefusedException.class)
                    .hasMessageContaining("OOM no room");
        }
    }

    @Test
    void runAll_mostAreRefused_fails() throws IOException {
        try (Subject subject = subject(1)) {
            assertThatThrownBy(() -> subject.runAll(sets(12), 1)).isInstanceOf(RefusedException.class);
        }
    }
}
