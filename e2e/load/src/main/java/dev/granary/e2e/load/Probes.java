package dev.granary.e2e.load;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.granary.client.ChunkLostException;
import dev.granary.client.ChunkNotFoundException;
import dev.granary.client.ClientOptions;
import dev.granary.client.GranaryClient;
import dev.granary.client.Place;
import dev.granary.env.Futures;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Reads chunks that never change, each again and again and all at the same time, and so shows for how long each chunk
 * was not served. A worker that does one operation after the other cannot show this: while it waits for one chunk,
 * others may not be served either.
 *
 * <p>A read begins a quarter of a second after the one before it has ended. A read that fails begins again at once; its
 * time counts from the first attempt. One thread begins the reads; the client's threads end them.
 */
public final class Probes implements AutoCloseable {
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
    private static final long TICK_MILLIS = 5;
    private static final long FIRST_VALUE = 0x6772616e617279L;

    private final Load load;
    private final GranaryClient client;
    private final Probe[] probes;
    private final Thread thread;
    private volatile boolean stopped;

    /** A chunk; guarded by itself. */
    private static final class Probe {
        private final long cid;
        private final byte[] value;

        @GuardedBy("this")
        private boolean reading;

        @GuardedBy("this")
        private boolean failing;

        @GuardedBy("this")
        private long beganNanos;

        @GuardedBy("this")
        private long endedNanos;

        @GuardedBy("this")
        private long longestNanos;

        Probe(long cid, byte[] value, long endedNanos) {
            this.cid = cid;
            this.value = value;
            this.endedNanos = endedNanos;
        }
    }

    private Probes(Load load, GranaryClient client, int count) {
        this.load = load;
        this.client = client;
        this.probes = new Probe[count];
        List<byte[]> values = new ArrayList<>();
        List<CompletableFuture<Long>> cids = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            byte[] value =
                    ByteBuffer.allocate(Long.BYTES).putLong(FIRST_VALUE + i).array();
            values.add(value);
            cids.add(client.async().create(value, Place.anywhere()));
        }
        for (int i = 0; i < count; i++) {
            // Spreads the first reads, so that chunks are not all read at the same moment.
            probes[i] = new Probe(cids.get(i).join(), values.get(i), System.nanoTime() + PAUSE_NANOS * i / count);
        }
        this.thread = Thread.ofPlatform().name("probes").unstarted(this::run);
    }

    /** Creates the chunks and starts to read them. Reports what goes wrong to the load. */
    public static Probes start(Load load, ClientOptions options, int count) {
        GranaryClient client = GranaryClient.connect(options);
        Probes probes;
        try {
            probes = new Probes(load, client, count);
        } catch (RuntimeException e) {
            client.close();
            throw e;
        }
        probes.thread.start();
        return probes;
    }

    private void run() {
        try {
            while (!stopped) {
                for (Probe probe : probes) {
                    beginIfDue(probe);
                }
                TimeUnit.MILLISECONDS.sleep(TICK_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void beginIfDue(Probe probe) {
        synchronized (probe) {
            long nowNanos = System.nanoTime();
            if (probe.reading || (!probe.failing && nowNanos - probe.endedNanos < PAUSE_NANOS)) {
                return;
            }
            probe.reading = true;
            if (!probe.failing) {
                probe.beganNanos = nowNanos;
            }
        }
        // Outside the lock: an answer may come at once, on this thread.
        var _ = client.async().get(probe.cid).whenComplete((value, failure) -> ended(probe, value, failure));
    }

    private void ended(Probe probe, byte @Nullable [] value, @Nullable Throwable failure) {
        synchronized (probe) {
            long nowNanos = System.nanoTime();
            long nanos = nowNanos - probe.beganNanos;
            probe.reading = false;
            probe.failing = failure != null;
            probe.endedNanos = nowNanos;
            probe.longestNanos = Math.max(probe.longestNanos, nanos);
            if (failure == null && !Arrays.equals(value, probe.value)) {
                load.wrong("probe " + Long.toHexString(probe.cid) + " has another value");
            }
            if (!stopped && failure != null) {
                Throwable cause = Futures.causeOf(failure);
                if (cause instanceof ChunkLostException || cause instanceof ChunkNotFoundException) {
                    load.wrong("probe " + Long.toHexString(probe.cid) + ": " + cause.getMessage());
                } else {
                    load.failed("probe " + Long.toHexString(probe.cid) + " failed: " + cause);
                }
            } else if (!stopped) {
                load.tookNanos("probe", nanos);
            }
        }
    }

    /**
     * Returns for how long chunks were not served: a percentile, 0 to 100, of the longest time of each chunk. Reads
     * that still wait count, too.
     */
    public long unservedMillis(int percentile) {
        long[] longest = new long[probes.length];
        for (int i = 0; i < probes.length; i++) {
            Probe probe = probes[i];
            synchronized (probe) {
                boolean waits = probe.reading || probe.failing;
                longest[i] = Math.max(probe.longestNanos, waits ? System.nanoTime() - probe.beganNanos : 0);
            }
        }
        Arrays.sort(longest);
        return TimeUnit.NANOSECONDS.toMillis(
                longest[(int) Math.min(longest.length - 1L, longest.length * (long) percentile / 100)]);
    }

    /** Stops reading. */
    @Override
    public void close() {
        stopped = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        client.close();
    }
}
