package dev.granary.storage.keyed.hot;

import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * What is wanted of a look at hot keys.
 *
 * @param byTime whether keys are told by the time that their requests took
 * @param byBytes whether keys are told by the bytes of their requests and replies
 * @param count how many keys are told of each kind, 1..{@value #MOST_KEYS}
 * @param durationNanos after which it ends by itself; 0 for never
 * @param sampleRatio one request of so many is looked at, at least 1
 * @param slots the hash slots whose keys are looked at; null for all. Nobody changes it.
 */
public record HotKeyOptions(
        boolean byTime,
        boolean byBytes,
        int count,
        long durationNanos,
        int sampleRatio,
        @Nullable BitSet slots) {

    public static final int USUAL_KEYS = 10;
    public static final int MOST_KEYS = 64;
}
