package dev.granary.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What happened: a running hash of everything, and the last events for people. */
final class Trace {

    private static final int KEPT = 60;
    private static final long PRIME = 0x9E3779B97F4A7C15L;

    private final String[] names = new String[KEPT];
    private final String[] texts = new String[KEPT];
    private final long[] timesNanos = new long[KEPT];
    private final long[] details = new long[KEPT];
    private long count;
    private long hash = 1;
    private @Nullable Consumer<String> sink;

    /** Mixes a number into a hash; the same in every JVM. */
    static long mix(long hash, long value) {
        long mixed = (hash ^ value) * PRIME;
        return mixed ^ (mixed >>> 29);
    }

    void add(long nowNanos, String name, String text, long detail) {
        hash = mix(mix(mix(mix(hash, nowNanos), name.hashCode()), text.hashCode()), detail);
        int place = (int) (count++ % KEPT);
        timesNanos[place] = nowNanos;
        names[place] = name;
        texts[place] = text;
        details[place] = detail;
        if (sink != null) {
            sink.accept(line(place));
        }
    }

    /** Passes every event from now on as a line of text. */
    void tellTo(Consumer<String> newSink) {
        sink = newSink;
    }

    private String line(int place) {
        return "%.6f %s %s %x".formatted(timesNanos[place] / 1e9, names[place], texts[place], details[place]);
    }

    /** Adds an event to the hash only, without a text. */
    void hashOnly(long nowNanos, String name) {
        hash = mix(mix(hash, nowNanos), name.hashCode());
    }

    long hash() {
        return hash;
    }

    List<String> last() {
        List<String> last = new ArrayList<>();
        for (long i = Math.max(0, count - KEPT); i < count; i++) {
            last.add(line((int) (i % KEPT)));
        }
        return last;
    }
}
