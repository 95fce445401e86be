package dev.granary.keyed;

import org.jspecify.annotations.Nullable;

/**
 * The keys of one slot group, as commands see them. Used by one thread at a time, which has the group for itself: what
 * it does between two calls of others happens at once for everybody else. Keys and contents belong to whoever made
 * them and are not changed by anybody afterwards.
 */
public interface Keyspace {

    /** Returns the time by which keys expire, in milliseconds since 1970. It stands still while a command runs. */
    long nowMillis();

    /** Returns what a key stands for; null when it is not there, or has expired. */
    @Nullable
    KeyEntry find(byte[] key);

    /**
     * Sets a key, whatever it stood for before. A time that is over removes it.
     *
     * @param expiresAtMillis or {@link KeyEntry#NEVER}
     * @throws KeyspaceFullException when there is no room; the key is as before
     */
    void put(byte[] key, ValueType type, byte[] content, long expiresAtMillis);

    /** Removes a key. Returns whether it was there, and had not expired. */
    boolean remove(byte[] key);

    /** Returns how many keys there are, with those that have expired and that nobody has removed yet. */
    long size();

    /**
     * Visits some keys that have not expired, and goes on where an earlier call stopped. A key that is there from the
     * first call to the last one is visited at least once, whatever happens to others meanwhile.
     *
     * @param cursor 0 to begin, or what the last call returned
     * @param count about how many keys to look at, at least 1
     * @return the cursor for the next call, below 2^48; 0 at the end
     */
    long scan(long cursor, int count, KeyVisitor visitor);

    /** Returns a key by chance; null when there is none. */
    byte @Nullable [] anyKey();

    /** Removes all keys. */
    void clear();

    /** Whether keys make way by a policy that Redis's users know as one by frequency of use. */
    default boolean isEvictedByFrequency() {
        return false;
    }

    /** Takes keys of a scan. */
    @FunctionalInterface
    interface KeyVisitor {
        void visit(byte[] key, KeyEntry entry);
    }
}
