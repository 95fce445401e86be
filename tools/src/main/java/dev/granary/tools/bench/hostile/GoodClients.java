package dev.granary.tools.bench.hostile;

import dev.granary.client.GranaryClient;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/** Well-behaved clients: two threads that get chunks by the Java client, and one that gets keys at the door. */
final class GoodClients implements AutoCloseable {

    static final int CHUNKS = 10_000;

    private static final int CHUNK_BYTES = 64;
    private static final long HIGHEST_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final int DIGITS = 2;
    private static final int JAVA_THREADS = 2;
    private static final int SOCKET_MILLIS = 30_000;

    private final GranaryClient client;
    private final InetSocketAddress door;
    private final long[] cids = new long[CHUNKS];
    private final List<Socket> sockets = new ArrayList<>();

    /**
     * What they got in a while.
     *
     * @param perSecond operations that were answered rightly
     * @param errors operations that were not
     */
    record Got(double perSecond, long errors, double p99Micros) {}

    /** An operation that is answered rightly, or throws. */
    private interface Operation {
        void run() throws IOException;
    }

    GoodClients(GranaryClient client, InetSocketAddress door) throws IOException {
        this.client = client;
        this.door = door;
        for (int i = 0; i < CHUNKS; i++) {
            cids[i] = client.create(new byte[CHUNK_BYTES]);
        }
        try (Socket socket = new Socket(door.getAddress(), door.getPort())) {
            String value = "v".repeat(4 << 10);
            socket.getOutputStream().write(Bytes.request("SET", Attacks.HOT_KEY, value));
            socket.getOutputStream().write(Bytes.request("SET", "good", "v".repeat(CHUNK_BYTES)));
            InputStream in = socket.getInputStream();
            expect(in, "+OK\r\n+OK\r\n".length());
        }
    }

    /** Works for a while. */
    Got run(long millis) throws InterruptedException, IOException {
        Histogram latencies = new ConcurrentHistogram(HIGHEST_NANOS, DIGITS);
        AtomicLong errors = new AtomicLong();
        long begin = System.nanoTime();
        long end = begin + TimeUnit.MILLISECONDS.toNanos(millis);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < JAVA_THREADS; i++) {
            threads.add(new Thread(() -> loop(end, latencies, errors, this::getChunk), "good-java"));
        }
        Socket socket = new Socket(door.getAddress(), door.getPort());
        sockets.add(socket);
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(SOCKET_MILLIS);
        InputStream in = new BufferedInputStream(socket.getInputStream());
        byte[] request = Bytes.request("GET", "good");
        threads.add(new Thread(
                () -> loop(end, latencies, errors, () -> {
                    socket.getOutputStream().write(request);
                    expect(in, "$64\r\n\r\n".length() + CHUNK_BYTES);
                }),
                "good-redis"));
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        socket.close();
        double elapsed = (System.nanoTime() - begin) / 1e9;
        return new Got(latencies.getTotalCount() / elapsed, errors.get(), latencies.getValueAtPercentile(99) / 1_000.0);
    }

    private void getChunk() {
        byte[] content = client.get(cids[ThreadLocalRandom.current().nextInt(CHUNKS)]);
        if (content == null || content.length != CHUNK_BYTES) {
            throw new IllegalStateException("a chunk of " + CHUNK_BYTES + " bytes is another one");
        }
    }

    private static void loop(long end, Histogram latencies, AtomicLong errors, Operation operation) {
        for (long now = System.nanoTime(); now < end; now = System.nanoTime()) {
            try {
                operation.run();
                latencies.recordValue(Math.min(HIGHEST_NANOS, System.nanoTime() - now));
            } catch (IOException | RuntimeException e) {
                errors.incrementAndGet();
            }
        }
    }

    private static void expect(InputStream in, int bytes) throws IOException {
        byte[] read = in.readNBytes(bytes);
        if (read.length < bytes) {
            throw new EOFException("the door has closed the connection");
        }
        if (read[0] == '-') {
            throw new IOException("the door has answered an error");
        }
    }

    @Override
    public void close() throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}
