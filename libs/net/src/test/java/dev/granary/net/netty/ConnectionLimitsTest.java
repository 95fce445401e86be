package dev.granary.net.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.net.netty.ConnectionLimits.Refusal;
import dev.granary.overlay.HostAddress;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** {@link ConnectionLimits}, alone and behind real sockets. */
class ConnectionLimitsTest {

    private static final int LIMIT_SECONDS = 30;

    private static InetAddress address(int last) throws IOException {
        return InetAddress.getByAddress(new byte[] {127, 0, 0, (byte) last});
    }

    @Test
    void enter_manyOfOneAddressAndOfAll_areRefusedUntilOthersLeave() throws IOException {
        ConnectionLimits limits = new ConnectionLimits(new NettyOptions.Accepting(3, 2, 100, 100));
        assertThat(limits.enter(address(1))).isNull();
        assertThat(limits.enter(address(1))).isNull();
        assertThat(limits.enter(address(1))).isEqualTo(Refusal.ADDRESS);
        assertThat(limits.enter(address(2))).isNull();
        assertThat(limits.enter(address(3))).isEqualTo(Refusal.ALL);
        assertThat(limits.open()).isEqualTo(3);
        limits.leave(address(1));
        assertThat(limits.enter(address(3))).isNull();
        assertThat(limits.enter(address(1))).isEqualTo(Refusal.ALL);
        limits.leave(address(3));
        limits.leave(address(2));
        limits.leave(address(1));
        assertThat(limits.open()).isZero();
        assertThat(limits.enter(address(1))).isNull();
        assertThat(limits.enter(address(1))).isNull();
        assertThat(limits.enter(address(1))).isEqualTo(Refusal.ADDRESS);
    }

    @Test
    void accepting_nobody_isRefused() {
        assertThatThrownBy(() -> new NettyOptions.Accepting(0, 1, 1, 1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void listen_silentAndManyConnections_areClosedAndOthersGetIn() throws Exception {
        NettyOptions options =
                NettyOptions.defaults().withIoThreads(1).withAccepting(new NettyOptions.Accepting(8, 3, 400, 100));
        List<Socket> sockets = new ArrayList<>();
        try (NettyTransport transport = new NettyTransport(options)) {
            HostAddress port = transport
                    .listen(new HostAddress("127.0.0.1", 0), accepted -> new SilentHandler())
                    .get(LIMIT_SECONDS, TimeUnit.SECONDS);
            for (int i = 0; i < 4; i++) {
                sockets.add(connect(port, 2));
            }
            Socket other = connect(port, 3);
            sockets.add(other);
            // The fourth of its address is closed at once, the others when they have not greeted in time.
            for (Socket socket : sockets) {
                assertThat(readsEnd(socket)).isTrue();
            }
            assertThat(transport.refusedConnections())
                    .containsEntry("address", 1L)
                    .containsEntry("silent", 4L)
                    .containsEntry("all", 0L);
            await(() -> transport.acceptedConnections() == 0);
            sockets.add(connect(port, 2));
            await(() -> transport.acceptedConnections() == 1);
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    private static Socket connect(HostAddress port, int lastOfAddress) throws IOException {
        Socket socket = new Socket();
        socket.bind(new InetSocketAddress(address(lastOfAddress), 0));
        socket.connect(new InetSocketAddress(port.host(), port.port()));
        socket.setSoTimeout((int) TimeUnit.SECONDS.toMillis(LIMIT_SECONDS));
        return socket;
    }

    private static boolean readsEnd(Socket socket) throws IOException {
        InputStream in = socket.getInputStream();
        try {
            return in.read() < 0;
        } catch (java.net.SocketException e) {
            // A reset is an end as well.
            return true;
        }
    }

    private static void await(java.util.function.BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).isLessThan(end);
            Thread.sleep(5);
        }
    }
}
