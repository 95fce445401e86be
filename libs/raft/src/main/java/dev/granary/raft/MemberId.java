package dev.granary.raft;

/**
 * A member of Raft groups: one disk. It is never an address, and never given to another disk: a member that came back
 * with an empty disk under its old id could vote twice (SAFETY rule 5).
 *
 * @param value any number but 0
 */
public record MemberId(long value) implements Comparable<MemberId> {

    public MemberId {
        if (value == 0) {
            throw new IllegalArgumentException("0 is no member");
        }
    }

    @Override
    public int compareTo(MemberId other) {
        return Long.compareUnsigned(value, other.value);
    }

    /** Depends on the value alone, because the library walks hash maps in an order that follows from it. */
    @Override
    public int hashCode() {
        return Long.hashCode(value);
    }

    @Override
    public String toString() {
        return Long.toHexString(value);
    }
}
