package dev.granary.net.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.granary.net.Pipe;
import dev.granary.overlay.HostAddress;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@link SocketPipes}, which a {@link NettyTransport} opens and closes. */
@Timeout(60)
class SocketPipesTest {

    private final NettyTransport transport =
            new NettyTransport(NettyOptions.defaults().withIoThreads(1));
    private final ServerSocket server = listen();

    private static ServerSocket listen() {
        try {
            return new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @AfterEach
    void close() throws IOException {
        transport.close();
        server.close();
    }

    private CompletableFuture<Pipe> opening(HostAddress to) {
        return transport.pipes().orElseThrow().open(to);
    }

    private Pipe open() throws Exception {
        return opening(new HostAddress("127.0.0.1", server.getLocalPort())).get(30, TimeUnit.SECONDS);
    }

    @Test
    void pipe_bothWays_passesBytes() throws Exception {
        Pipe pipe = open();
        try (Socket other = server.accept()) {
            ByteBuffer bytes =
                    ByteBuffer.allocateDirect(3).put(new byte[] {1, 2, 3}).flip();
            pipe.write(bytes);
            assertThat(bytes.hasRemaining()).isFalse();
            assertThat(other.getInputStream().readNBytes(3)).containsExactly(1, 2, 3);
            other.getOutputStream().write(new byte[] {4, 5});
            ByteBuffer room = ByteBuffer.allocate(10);
            while (room.position() < 2) {
                assertThat(pipe.read(room)).isPositive();
            }
            assertThat(room.flip().get(1)).isEqualTo((byte) 5);
        }
        assertThat(pipe.read(ByteBuffer.allocate(1))).isEqualTo(-1);
        pipe.close();
        pipe.close();
    }

    @Test
    void close_ofTheTransport_endsAReadThatWaits() throws Exception {
        Pipe pipe = open();
        CompletableFuture<Throwable> failure =
                CompletableFuture.supplyAsync(() -> catchThrowable(() -> pipe.read(ByteBuffer.allocate(1))));
        Thread.sleep(50);
        assertThat(failure).isNotDone();
        transport.close();
        assertThat(failure.get(30, TimeUnit.SECONDS)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> open())
                .isInstanceOf(ExecutionException.class)
                .hasMessageContaining("the transport is closed");
    }

    @Test
    void open_nobodyThere_fails() throws Exception {
        HostAddress nobody = new HostAddress("127.0.0.1", server.getLocalPort());
        server.close();
        assertThatThrownBy(() -> opening(nobody).get(30, TimeUnit.SECONDS)).hasCauseInstanceOf(IOException.class);
        assertThatThrownBy(() ->
                        opening(new HostAddress("no-such-host.invalid", 1)).get(30, TimeUnit.SECONDS))
                .hasMessageContaining("no-such-host.invalid");
    }
}
