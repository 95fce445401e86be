package dev.granary.net.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.net.Connection;
import dev.granary.net.ConnectionHandler;
import dev.granary.net.CountingAllocator;
import dev.granary.net.Frame;
import dev.granary.overlay.HostAddress;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class NettyTransportTest {

    private static final HostAddress LOOPBACK = new HostAddress("127.0.0.1", 0);
    private static final int LIMIT_SECONDS = 30;

    /** Nobody greets here. */
    private static final NettyOptions WITHOUT_HELLO =
            NettyOptions.defaults().withAccepting(new NettyOptions.Accepting(100, 100, 600_000, Frame.MAX_BYTES));

    private final CountingAllocator allocator = new CountingAllocator();

    @ParameterizedTest
    @EnumSource(NettyOptions.Polling.class)
    void send_framesOfManyThreads_arriveWholeAndInTheOrderOfEachThread(NettyOptions.Polling polling) throws Exception {
        int threads = 3;
        int framesPerThread = 700;
        Recorder answers = new Recorder(threads * framesPerThread);
        try (NettyTransport transport = transport(polling)) {
            HostAddress address =
                    transport.listen(LOOPBACK, accepted -> new Echo()).get(LIMIT_SECONDS, TimeUnit.SECONDS);
            Connection connection = transport.connect(address, answers).get(LIMIT_SECONDS, TimeUnit.SECONDS);
            List<Thread> senders = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                int thread = t;
                senders.add(Thread.ofPlatform().start(() -> {
                    for (int i = 0; i < framesPerThread; i++) {
                        connection.send(frame(connection, thread, i, i % 700));
                    }
                }));
            }
            for (Thread sender : senders) {
                sender.join();
            }
            assertThat(answers.arrived.await(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
            // Each frame goes both ways, and both ends are of this transport.
            assertThat(transport.receivedFrames()).isEqualTo(2L * threads * framesPerThread);
            assertThat(transport.sentFrames()).isEqualTo(transport.receivedFrames());
            assertThat(transport.sentBytes())
                    .isEqualTo(transport.receivedBytes())
                    .isGreaterThan(1 << 20);
        }
        long[] next = new long[threads];
        for (long[] answer : answers.frames) {
            assertThat(answer[1]).isEqualTo(next[(int) answer[0]]++);
        }
        allocator.assertAllReleased();
        assertNoThreads();
    }

    @Test
    void send_ofTheIoThreadAfterAnotherThread_doesNotOvertake() throws Exception {
        int rounds = 50;
        Recorder received = new Recorder(2 * rounds + 1);
        SynchronousQueue<Connection> waiting = new SynchronousQueue<>();
        CyclicBarrier handedOver = new CyclicBarrier(2);
        ConnectionHandler second = new ConnectionHandler() {
            @Override
            public void onFrame(Connection connection, ByteBuf frame) {
                try {
                    waiting.offer(connection, LIMIT_SECONDS, TimeUnit.SECONDS);
                    handedOver.await(LIMIT_SECONDS, TimeUnit.SECONDS);
                } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
                    throw new IllegalStateException(e);
                }
                connection.send(frame(connection, 2, Frame.correlation(frame), 10));
            }

            @Override
            public void onClosed(Connection connection, @Nullable Throwable cause) {}
        };
        try (NettyTransport transport = transport(NettyOptions.Polling.AUTO)) {
            HostAddress address = transport
                    .listen(LOOPBACK, accepted -> new ConnectionHandler() {
                        @Override
                        public void onFrame(Connection connection, ByteBuf frame) {
                            received.onFrame(connection, frame);
                            if (Frame.type(frame) != 1 && received.arrived.getCount() > 0) {
                                connection.send(frame.copy());
                            }
                        }

                        @Override
                        public void onClosed(Connection connection, @Nullable Throwable cause) {}
                    })
                    .get(LIMIT_SECONDS, TimeUnit.SECONDS);
            Connection connection = transport.connect(address, second).get(LIMIT_SECONDS, TimeUnit.SECONDS);
            connection.send(frame(connection, 2, 0, 10));
            for (int i = 0; i < rounds; i++) {
                Connection busy = waiting.poll(LIMIT_SECONDS, TimeUnit.SECONDS);
                assertThat(busy).as("round %d", i).isNotNull();
                connection.send(frame(connection, 1, i, 10));
                handedOver.await(LIMIT_SECONDS, TimeUnit.SECONDS);
            }
            assertThat(received.arrived.await(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        }
        for (int i = 0; i < received.frames.size(); i++) {
            assertThat(received.frames.get(i)[0]).as("frame %d", i).isEqualTo(i % 2 == 0 ? 2 : 1);
        }
        allocator.assertAllReleased();
    }

    @Test
    void isWritable_ioThreadComesToNothing_isFalseUntilItHasWritten() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        CompletableFuture<Connection> busy = new CompletableFuture<>();
        ConnectionHandler blocking = new ConnectionHandler() {
            @Override
            public void onFrame(Connection connection, ByteBuf frame) {
                busy.complete(connection);
                try {
                    goOn.await(LIMIT_SECONDS, TimeUnit.SECONDS);
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }

            @Override
            public void onClosed(Connection connection, @Nullable Throwable cause) {}
        };
        Recorder received = new Recorder(10);
        try (NettyTransport transport = transport(NettyOptions.Polling.AUTO)) {
            HostAddress address =
                    transport.listen(LOOPBACK, accepted -> blocking).get(LIMIT_SECONDS, TimeUnit.SECONDS);
            Connection caller = transport.connect(address, received).get(LIMIT_SECONDS, TimeUnit.SECONDS);
            caller.send(frame(caller, 0, 0, 10));
            Connection connection = busy.get(LIMIT_SECONDS, TimeUnit.SECONDS);
            assertThat(connection.isWritable()).isTrue();
            for (int i = 0; i < 10; i++) {
                connection.send(frame(connection, 0, i, 1 << 20));
            }

            assertThat(connection.isWritable()).isFalse();
            goOn.countDown();
            await(connection::isWritable);
            assertThat(received.arrived.await(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        }
        allocator.assertAllReleased();
    }

    @ParameterizedTest
    @EnumSource(NettyOptions.Polling.class)
    void send_theLargestFramesFasterThanTheyAreRead_allArrive(NettyOptions.Polling polling) throws Exception {
        int frames = 2;
        Recorder answers = new Recorder(frames);
        try (NettyTransport transport = transport(polling)) {
            HostAddress address =
                    transport.listen(LOOPBACK, accepted -> new Echo()).get(LIMIT_SECONDS, TimeUnit.SECONDS);
            Connection connection = transport.connect(address, answers).get(LIMIT_SECONDS, TimeUnit.SECONDS);
            for (int i = 0; i < frames; i++) {
                connection.send(frame(connection, 0, i, Frame.MAX_BYTES - Frame.HEADER_BYTES));
            }
            assertThat(answers.arrived.await(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        }
        allocator.assertAllReleased();
    }

    @Test
    void close_openConnections_tellsBothSidesAndLeavesNothing() throws Exception {
        Recorder callerSide = new Recorder(1);
        Recorder acceptedSide = new Recorder(1);
        NettyTransport transport = transport(NettyOptions.Polling.AUTO);
        HostAddress address =
                transport.listen(LOOPBACK, accepted -> acceptedSide).get(LIMIT_SECONDS, TimeUnit.SECONDS);
        Connection connection = transport.connect(address, callerSide).get(LIMIT_SECONDS, TimeUnit.SECONDS);
        connection.send(frame(connection, 0, 0, 10));
        assertThat(acceptedSide.arrived.await(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();

        transport.close();

        assertThat(callerSide.closed.get(LIMIT_SECONDS, TimeUnit.SECONDS)).isEqualTo(1);
        assertThat(acceptedSide.closed.get(LIMIT_SECONDS, TimeUnit.SECONDS)).isEqualTo(1);
        connection.send(frame(connection, 0, 1, 10));
        assertThatThrownBy(() -> transport.connect(address, callerSide).get(LIMIT_SECONDS, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .hasMessageContaining("closed");
        assertNoThreads();
        allocator.assertAllReleased();
    }

    @Test
    void close_oneSideAfterSending_theOtherReceivesWhatWasSent() throws Exception {
        Recorder acceptedSide = new Recorder(100);
        try (NettyTransport transport = transport(NettyOptions.Polling.AUTO)) {
            HostAddress address =
                    transport.listen(LOOPBACK, accepted -> acceptedSide).get(LIMIT_SECONDS, TimeUnit.SECONDS);
            Connection connection = transport.connect(address, new Recorder(0)).get(LIMIT_SECONDS, TimeUnit.SECONDS);
            for (int i = 0; i < 100; i++) {
                connection.send(frame(connection, 0, i, 50));
            }
            connection.close();
            assertThat(acceptedSide.closed.get(LIMIT_SECONDS, TimeUnit.SECONDS)).isEqualTo(1);
            assertThat(acceptedSide.arrived.getCount()).isZero();
        }
        allocator.assertAllReleased();
    }

    @Test
    void connect_nobodyListens_failsWithTheAddress() throws Exception {
        try (NettyTransport transport = transport(NettyOptions.Polling.AUTO)) {
            HostAddress address =
                    transport.listen(LOOPBACK, accepted -> new Echo()).get(LIMIT_SECONDS, TimeUnit.SECONDS);
            try (NettyTransport other = transport(NettyOptions.Polling.AUTO)) {
                HostAddress taken =
                        other.listen(LOOPBACK, accepted -> new Echo()).get(LIMIT_SECONDS, TimeUnit.SECONDS);
                other.close();
                assertThatThrownBy(
                                () -> transport.connect(taken, new Recorder(0)).get(LIMIT_SECONDS, TimeUnit.SECONDS))
                        .hasMessageContaining("cannot connect to " + taken);
            }
            assertThatThrownBy(() ->
                            transport.listen(address, accepted -> new Echo()).get(LIMIT_SECONDS, TimeUnit.SECONDS))
                    .hasMessageContaining("cannot listen on " + address);
        }
    }

    @Test
    void connect_unknownHost_failsWithItsName() {
        try (NettyTransport transport = transport(NettyOptions.Polling.AUTO)) {
            assertThatThrownBy(() -> transport
                            .connect(new HostAddress("no-such-host.invalid", 1), new Recorder(0))
                            .get(LIMIT_SECONDS, TimeUnit.SECONDS))
                    .hasMessageContaining("no-such-host.invalid");
        }
    }

    @Test
    void receive_lengthBeyondTheLimit_closesTheConnection() throws Exception {
        Recorder acceptedSide = new Recorder(1);
        try (NettyTransport transport = transport(NettyOptions.Polling.AUTO)) {
            HostAddress address =
                    transport.listen(LOOPBACK, accepted -> acceptedSide).get(LIMIT_SECONDS, TimeUnit.SECONDS);
            try (Socket socket = new Socket(address.host(), address.port())) {
                socket.getOutputStream().write(new byte[] {-1, -1, -1, 0x7f, 1, 1, 1, 1});
                socket.setSoTimeout(LIMIT_SECONDS * 1000);
                assertThat(socket.getInputStream().read()).isEqualTo(-1);
            }
            assertThat(acceptedSide.closed.get(LIMIT_SECONDS, TimeUnit.SECONDS)).isEqualTo(1);
            assertThat(acceptedSide.closeCause).hasMessageContaining("not a frame");
        }
        allocator.assertAllReleased();
    }

    @Test
    void options_withoutThreads_areRefused() {
        assertThatThrownBy(() -> WITHOUT_HELLO.withIoThreads(0)).hasMessageContaining("at least 1");
    }

    @ParameterizedTest
    @EnumSource(NettyOptions.Polling.class)
    void receive_moreLargeFramesThanThereIsRoom_oneAfterTheOther(NettyOptions.Polling polling) throws Exception {
        int payloadBytes = 2 << 20;
        int senders = 6;
        Recorder received = new Recorder(senders);
        NettyOptions options = options(polling).withInbound(3 << 20, 600_000);
        try (NettyTransport transport = new NettyTransport(options);
                Socket first = new Socket()) {
            HostAddress address =
                    transport.listen(LOOPBACK, accepted -> received).get(LIMIT_SECONDS, TimeUnit.SECONDS);
            byte[] frame = bytes(payloadBytes);
            first.connect(new InetSocketAddress(address.host(), address.port()));
            first.getOutputStream().write(frame, 0, frame.length / 2);
            awaitInbound(transport, frame.length);
            List<Thread> others = new ArrayList<>();
            for (int i = 1; i < senders; i++) {
                others.add(Thread.ofPlatform().start(() -> sendWhole(address, frame, received)));
            }
            // A small frame is not kept waiting, although it comes when the others have long been waiting.
            Recorder small = new Recorder(1);
            HostAddress aside = transport.listen(LOOPBACK, accepted -> small).get(LIMIT_SECONDS, TimeUnit.SECONDS);
            sendWhole(aside, bytes(100), small);
            assertThat(transport.inboundBytes()).isEqualTo(frame.length);
            assertThat(received.arrived.getCount()).isEqualTo(senders);

            first.getOutputStream().write(frame, frame.length / 2, frame.length - frame.length / 2);
            assertThat(received.arrived.await(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
            for (Thread other : others) {
                other.join();
            }
            assertThat(transport.inboundBytes()).isZero();
        }
        allocator.assertAllReleased();
    }

    @Test
    void receive_nothingMoreOfALargeFrame_closesTheConnectionAndFreesTheRoom() throws Exception {
        Recorder received = new Recorder(1);
        NettyOptions options = options(NettyOptions.Polling.NIO).withInbound(3 << 20, 50);
        try (NettyTransport transport = new NettyTransport(options);
                Socket stalled = new Socket()) {
            HostAddress address =
                    transport.listen(LOOPBACK, accepted -> received).get(LIMIT_SECONDS, TimeUnit.SECONDS);
            stalled.connect(new InetSocketAddress(address.host(), address.port()));
            stalled.getOutputStream().write(bytes(2 << 20), 0, 1 << 20);

            assertThat(received.closed.get(LIMIT_SECONDS, TimeUnit.SECONDS)).isNotNull();
            awaitInbound(transport, 0);
        }
        allocator.assertAllReleased();
    }

    @Test
    void receive_partOfAFrameThatOneReadBrings_takesItsRoom() throws Exception {
        Recorder received = new Recorder(1);
        NettyOptions options = options(NettyOptions.Polling.NIO).withInbound(3 << 20, 600_000);
        try (NettyTransport transport = new NettyTransport(options);
                Socket slow = new Socket()) {
            HostAddress address =
                    transport.listen(LOOPBACK, accepted -> received).get(LIMIT_SECONDS, TimeUnit.SECONDS);
            byte[] frame = bytes(64 << 10);
            slow.connect(new InetSocketAddress(address.host(), address.port()));
            slow.getOutputStream().write(frame, 0, 1000);
            awaitInbound(transport, frame.length);

            slow.getOutputStream().write(frame, 1000, frame.length - 1000);
            assertThat(received.arrived.await(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(transport.inboundBytes()).isZero();
        }
        allocator.assertAllReleased();
    }

    @Test
    void outboundBytes_callerReadsNothing_areThoseOfItsAnswers() throws Exception {
        int answerBytes = 8 << 20;
        try (NettyTransport transport = new NettyTransport(options(NettyOptions.Polling.NIO));
                Socket slow = new Socket()) {
            ConnectionHandler answering = new ConnectionHandler() {
                @Override
                public void onFrame(Connection connection, ByteBuf request) {
                    connection.send(frame(connection, 1, 1, answerBytes));
                }

                @Override
                public void onClosed(Connection connection, @Nullable Throwable cause) {}
            };
            HostAddress address =
                    transport.listen(LOOPBACK, accepted -> answering).get(LIMIT_SECONDS, TimeUnit.SECONDS);
            assertThat(transport.outboundBytes()).isZero();
            slow.setReceiveBufferSize(4 << 10);
            slow.connect(new InetSocketAddress(address.host(), address.port()));
            slow.getOutputStream().write(bytes(100));
            await(() -> transport.outboundBytes() > 1 << 20);

            assertThat(slow.getInputStream().readNBytes(answerBytes)).hasSize(answerBytes);
            await(() -> transport.outboundBytes() == 0);
        }
        allocator.assertAllReleased();
    }

    private static void await(BooleanSupplier condition) {
        long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        while (!condition.getAsBoolean() && System.nanoTime() < endNanos) {
            Thread.onSpinWait();
        }
        assertThat(condition.getAsBoolean()).isTrue();
    }

    private static void awaitInbound(NettyTransport transport, long bytes) {
        long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        while (transport.inboundBytes() != bytes && System.nanoTime() < endNanos) {
            Thread.onSpinWait();
        }
        assertThat(transport.inboundBytes()).isEqualTo(bytes);
    }

    /** Sends a frame and stays connected until everything has arrived that the recorder waits for. */
    private static void sendWhole(HostAddress address, byte[] frame, Recorder until) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(address.host(), address.port()));
            socket.getOutputStream().write(frame);
            assertThat(until.arrived.await(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A frame as it is sent. */
    private static byte[] bytes(int payloadBytes) {
        ByteBuf frame = Unpooled.buffer(Frame.HEADER_BYTES + payloadBytes);
        Frame.start(frame, Frame.KIND_REQUEST, 1, 0);
        frame.writeLongLE(1).writeLongLE(1).writeZero(payloadBytes - 16);
        Frame.finish(frame);
        return ByteBufUtil.getBytes(frame);
    }

    private NettyOptions options(NettyOptions.Polling polling) {
        return WITHOUT_HELLO.withPolling(polling).withIoThreads(1).withAllocator(allocator.buffers());
    }

    private NettyTransport transport(NettyOptions.Polling polling) {
        return new NettyTransport(
                WITHOUT_HELLO.withPolling(polling).withIoThreads(2).withAllocator(allocator.buffers()));
    }

    private static ByteBuf frame(Connection connection, int thread, long serial, int payloadBytes) {
        ByteBuf frame = connection.allocator().ioBuffer(Frame.HEADER_BYTES + payloadBytes);
        Frame.start(frame, Frame.KIND_REQUEST, thread, serial);
        frame.writeZero(payloadBytes);
        Frame.finish(frame);
        return frame;
    }

    private static void assertNoThreads() throws InterruptedException {
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().startsWith("granary-io")) {
                thread.join(TimeUnit.SECONDS.toMillis(LIMIT_SECONDS));
                assertThat(thread.isAlive()).as(thread.getName() + " runs on").isFalse();
            }
        }
    }

    private static final class Echo implements ConnectionHandler {
        @Override
        public void onFrame(Connection connection, ByteBuf frame) {
            connection.send(frame.copy());
        }

        @Override
        public void onClosed(Connection connection, @Nullable Throwable cause) {}
    }

    private static final class Recorder implements ConnectionHandler {
        private final List<long[]> frames = new ArrayList<>();
        private final CountDownLatch arrived;
        private final AtomicInteger closes = new AtomicInteger();
        private final CompletableFuture<Integer> closed = new CompletableFuture<>();
        private volatile @Nullable Throwable closeCause;

        Recorder(int expected) {
            arrived = new CountDownLatch(expected);
        }

        @Override
        public void onFrame(Connection connection, ByteBuf frame) {
            Frame.check(frame);
            frames.add(new long[] {Frame.type(frame), Frame.correlation(frame)});
            arrived.countDown();
        }

        @Override
        public void onClosed(Connection connection, @Nullable Throwable cause) {
            closeCause = cause;
            closed.complete(closes.incrementAndGet());
        }
    }
}
