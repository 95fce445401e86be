package dev.granary.env;

import org.jspecify.annotations.Nullable;

/**
 * Says when something that is looked at again and again, such as a file, has another content that stays: two looks in a
 * row must have seen it. Between them somebody may be in the middle of writing it: what is half written may be valid,
 * and mean something else. Of one thread.
 *
 * @param <T> content, compared by {@code equals}
 */
public final class Settled<T> {

    private T used;

    /** What the last look has seen and is not in use; null when that was nothing new. */
    private @Nullable T seen;

    /** @param used what is in use */
    public Settled(T used) {
        this.used = used;
    }

    /** Takes what a look has seen; returns whether it is to be used instead of what is in use. */
    public boolean isNew(T now) {
        boolean settled = now.equals(seen);
        seen = now.equals(used) ? null : now;
        return settled && seen != null;
    }

    /** Returns what is in use. */
    public T used() {
        return used;
    }

    /** Returns whether this is what is in use. */
    public boolean isInUse(T content) {
        return content.equals(used);
    }

    /** Something is in use from now on, or was found to be of no use: it is not new any more. */
    public void use(T now) {
        used = now;
        seen = null;
    }
}
