package dev.granary.bench.redis;

import java.util.function.LongUnaryOperator;

/**
 * Changes that leave holes in memory: in each round about half of the keys get values of other sizes, and a fifth is
 * deleted and replaced by new keys. What is there afterwards is known, so its bytes can be counted.
 */
public final class Churn {

    /** Rounds one after the other. */
    public static final int ROUNDS = 2;

    private static final int FIFTH = 5;

    private final long keys;

    /** Churn of the keys from 0 on, all of which have version 0 of their values. */
    public Churn(long keys) {
        this.keys = keys;
    }

    /** The changes of a round, 1 to {@link #ROUNDS}. */
    public ListedRequests round(int round) {
        LongUnaryOperator operations = number -> {
            long key = number / 2;
            if (number % 2 == 1) {
                return key % FIFTH == round ? Operation.set(keys + key, 0) : Requests.NONE;
            }
            if (key % FIFTH == round) {
                return Operation.delete(key);
            }
            return isThere(key, round) && isOverwritten(key, round) ? Operation.set(key, round) : Requests.NONE;
        };
        return new ListedRequests(2 * keys, operations);
    }

    /** Whether a key of those from 0 on is still there after a round. */
    private static boolean isThere(long key, int round) {
        long place = key % FIFTH;
        return place == 0 || place > round;
    }

    private static boolean isOverwritten(long key, int round) {
        return (Mix.of(key * (ROUNDS + 1L) + round) & 1) == 1;
    }

    /** The bytes of all values after the last round. */
    public long valueBytes(Values values) {
        long sum = 0;
        for (long key = 0; key < keys; key++) {
            sum += isThere(key, ROUNDS) ? values.size(key, lastVersion(key)) : values.size(keys + key, 0);
        }
        return sum;
    }

    private static int lastVersion(long key) {
        for (int round = ROUNDS; round > 0; round--) {
            if (isOverwritten(key, round)) {
                return round;
            }
        }
        return 0;
    }
}
