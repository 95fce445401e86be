package dev.granary.bench.redis;

/** An operation on a key as one number: what is done, to which key, and the version of the value that is set. */
@SuppressWarnings("EnumOrdinal") // The number lives no longer than the process.
public final class Operation {

    /** What is done. */
    public enum Kind {
        GET,
        SET,
        DELETE
    }

    /** The most keys that can be told apart. */
    public static final long MOST_KEYS = 1L << 48;

    private static final int KIND_SHIFT = 56;
    private static final int VERSION_SHIFT = 48;
    private static final int VERSION_MASK = 0xFF;
    private static final Kind[] KINDS = Kind.values();

    private Operation() {}

    /** Asks for a key. */
    public static long get(long key) {
        return key;
    }

    /** Sets a key to a version of its value, 0 to 255. */
    public static long set(long key, int version) {
        return ((long) Kind.SET.ordinal() << KIND_SHIFT) | ((long) (version & VERSION_MASK) << VERSION_SHIFT) | key;
    }

    /** Deletes a key. */
    public static long delete(long key) {
        return ((long) Kind.DELETE.ordinal() << KIND_SHIFT) | key;
    }

    static Kind kind(long operation) {
        return KINDS[(int) (operation >>> KIND_SHIFT)];
    }

    static long key(long operation) {
        return operation & (MOST_KEYS - 1);
    }

    static int version(long operation) {
        return (int) (operation >>> VERSION_SHIFT) & VERSION_MASK;
    }
}
