package dev.granary.cli.keys;

import dev.granary.client.OutcomeUnknownException;
import java.util.function.Supplier;

/** Repeats changes of keys that may be carried out twice, when nobody can say whether they were. */
public final class Repeated {

    private static final int MAX_ATTEMPTS = 5;

    private Repeated() {}

    /** Returns what the change gave; throws what it threw when its outcome is unknown for the fifth time. */
    public static <T> T until(Supplier<T> change) {
        for (int attempt = 1; ; attempt++) {
            try {
                return change.get();
            } catch (OutcomeUnknownException e) {
                if (attempt == MAX_ATTEMPTS) {
                    throw e;
                }
            }
        }
    }
}
