package dev.granary.storage.keyed.hot;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.granary.overlay.KeySlot;
import dev.granary.resp.Request;
import dev.granary.resp.command.Command;
import dev.granary.resp.command.KeyPositions;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * One look at hot keys, from its start on. Its memory does not grow: some 20 KiB of numbers and {@link HeavyKeys#SLOTS}
 * keys for each kind of sum. Thread-safe: whoever has carried out a request adds it. A request that is not looked at
 * adds to two counters; one that is looked at also takes a lock, for less than a microsecond.
 */
public final class HotKeySession {

    private final HotKeyOptions options;
    private final long startNanos;
    private final long startMillis;
    private final AtomicLong requests = new AtomicLong();
    private final LongAdder allNanos = new LongAdder();
    private final LongAdder allBytes = new LongAdder();

    @GuardedBy("this")
    private final KeyPositions positions = new KeyPositions();

    @GuardedBy("this")
    private final HeavyKeys byTime = new HeavyKeys();

    @GuardedBy("this")
    private final HeavyKeys byBytes = new HeavyKeys();

    @GuardedBy("this")
    private long selectedNanos;

    @GuardedBy("this")
    private long selectedBytes;

    @GuardedBy("this")
    private long sampledNanos;

    @GuardedBy("this")
    private long sampledBytes;

    HotKeySession(HotKeyOptions options, long startNanos, long startMillis) {
        this.options = options;
        this.startNanos = startNanos;
        this.startMillis = startMillis;
    }

    /** Returns whether its time is over. */
    boolean isOver(long nowNanos) {
        return options.durationNanos() > 0 && nowNanos - startNanos >= options.durationNanos();
    }

    /** Returns when it ends, if it is stopped now. */
    long endNanos(long nowNanos) {
        return isOver(nowNanos) ? startNanos + options.durationNanos() : nowNanos;
    }

    /**
     * Adds a request that was carried out. A request for several keys counts for each of them in equal parts.
     *
     * @param endNanos when it had been carried out
     * @param nanos how long that took
     * @param bytes of the request and its reply, as clients see them
     */
    public void add(Command command, Request request, long endNanos, long nanos, long bytes) {
        if (isOver(endNanos)) {
            return;
        }
        allNanos.add(nanos);
        allBytes.add(bytes);
        // Not each so-manyth: requests that come in turns would always be the same ones.
        boolean sampled = options.sampleRatio() == 1
                || Long.remainderUnsigned(HeavyKeys.mix(requests.incrementAndGet()), options.sampleRatio()) == 0;
        if (sampled || options.slots() != null) {
            look(command, request, nanos, bytes, sampled);
        }
    }

    private synchronized void look(Command command, Request request, long nanos, long bytes, boolean sampled) {
        if (!positions.find(command, request) || positions.count() == 0 || !isSelected(request)) {
            return;
        }
        if (options.slots() != null) {
            selectedNanos += nanos;
            selectedBytes += bytes;
        }
        if (!sampled) {
            return;
        }
        if (options.slots() != null) {
            sampledNanos += nanos;
            sampledBytes += bytes;
        }
        int keys = positions.count();
        for (int i = 0; i < keys; i++) {
            int start = request.start(positions.position(i));
            int length = request.length(positions.position(i));
            long hash = HeavyKeys.hash(request.buffer(), start, length);
            if (options.byTime()) {
                byTime.add(hash, request.buffer(), start, length, nanos / keys);
            }
            if (options.byBytes()) {
                byBytes.add(hash, request.buffer(), start, length, bytes / keys);
            }
        }
    }

    /** Whether the slot of the first key is wanted. The others have the same, but for commands that are split. */
    @GuardedBy("this")
    private boolean isSelected(Request request) {
        BitSet slots = options.slots();
        if (slots == null) {
            return true;
        }
        int argument = positions.position(0);
        byte[] key = new byte[request.length(argument)];
        request.buffer().getBytes(request.start(argument), key);
        return slots.get(KeySlot.of(key));
    }

    /** Returns what was seen until a time. */
    synchronized HotKeyReport report(boolean active, long endNanos) {
        return new HotKeyReport(
                options,
                active,
                startMillis,
                endNanos - startNanos,
                allNanos.sum(),
                allBytes.sum(),
                selectedNanos,
                selectedBytes,
                sampledNanos,
                sampledBytes,
                keys(byTime),
                keys(byBytes));
    }

    private List<HotKeyReport.HotKey> keys(HeavyKeys heavy) {
        return heavy.top(options.count()).stream()
                .map(entry -> new HotKeyReport.HotKey(entry.key(), entry.weight()))
                .toList();
    }
}
