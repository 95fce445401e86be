package dev.granary.storage.keyed.hot;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.granary.env.Clock;
import dev.granary.net.message.SlotGroupMessages;
import dev.granary.net.message.SlotGroupMessages.HotKeyList;
import dev.granary.resp.Request;
import dev.granary.resp.command.Command;
import dev.granary.resp.command.KeyPositions;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Which keys of this peer are asked for most now (ADR 0357): always counted, from one request in {@value #SAMPLED}, and
 * halved at intervals, so that it follows what happens now. Its memory does not grow. Thread-safe: a request that is
 * looked at takes a lock for less than a microsecond.
 */
public final class KeyHeat {

    static final int SAMPLED = 32;

    static final long HALVED_NANOS = 5_000_000_000L;

    /** More halvings leave nothing of any count. */
    private static final long MOST_HALVINGS = 62;

    private final Clock clock;

    @GuardedBy("this")
    private final KeyPositions positions = new KeyPositions();

    @GuardedBy("this")
    private final HeavyKeys keys = new HeavyKeys();

    /** By the slot of a key, the NID of its slot group. */
    @GuardedBy("this")
    private final int[] groups = new int[HeavyKeys.SLOTS];

    @GuardedBy("this")
    private long halvedNanos;

    KeyHeat(Clock clock) {
        this.clock = clock;
        this.halvedNanos = clock.nanoTime();
    }

    /**
     * Returns whether a request is looked at. Not each so-manyth: requests that come in turns would always be the same
     * ones.
     *
     * @param number of the request among those of its slot group
     */
    public static boolean isSampled(long number) {
        return (HeavyKeys.mix(number) & (SAMPLED - 1)) == 0;
    }

    /** Adds a request that is looked at, for each of its keys. */
    public synchronized void add(int groupNid, Command command, Request request) {
        halve(clock.nanoTime());
        if (!positions.find(command, request)) {
            return;
        }
        for (int i = 0; i < positions.count(); i++) {
            int start = request.start(positions.position(i));
            int length = request.length(positions.position(i));
            long hash = HeavyKeys.hash(request.buffer(), start, length);
            int slot = keys.add(hash, request.buffer(), start, length, SAMPLED);
            groups[slot] = groupNid;
        }
    }

    /** Returns the keys that are asked for most, the busiest first. */
    public synchronized HotKeyList hottest(int most) {
        long now = clock.nanoTime();
        halve(now);
        // What is halved each time adds up to one interval's worth, and then what came since.
        double seconds = (HALVED_NANOS + now - halvedNanos) / 1e9;
        List<HotKeyList.HotKey> told = new ArrayList<>();
        for (HeavyKeys.Entry entry : keys.top(Math.clamp(most, 0, SlotGroupMessages.MAX_HOT_KEYS))) {
            long perSecond = Math.round(entry.weight() / seconds);
            if (perSecond > 0) {
                // The format has a character for each byte.
                String key = new String(entry.key(), StandardCharsets.ISO_8859_1);
                told.add(new HotKeyList.HotKey(key, groups[entry.slot()], perSecond));
            }
        }
        return new HotKeyList(told);
    }

    @GuardedBy("this")
    private void halve(long now) {
        long times = (now - halvedNanos) / HALVED_NANOS;
        if (times > 0) {
            keys.halve((int) Math.min(times, MOST_HALVINGS));
            halvedNanos += times * HALVED_NANOS;
        }
    }
}
