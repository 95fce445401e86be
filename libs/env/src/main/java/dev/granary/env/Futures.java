package dev.granary.env;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** Finds what failed in futures: they wrap the failures that they pass on. */
public final class Futures {

    private Futures() {}

    /** The failure without the {@link CompletionException} or {@link ExecutionException} around it. */
    public static Throwable causeOf(Throwable failure) {
        Throwable cause = failure;
        Throwable inner = cause.getCause();
        while (inner != null && (cause instanceof CompletionException || cause instanceof ExecutionException)) {
            cause = inner;
            inner = cause.getCause();
        }
        return cause;
    }

    /** The same for a failure that may be null, such as the second argument of {@code whenComplete}. */
    public static @Nullable Throwable causeIfAny(@Nullable Throwable failure) {
        return failure == null ? null : causeOf(failure);
    }
}
