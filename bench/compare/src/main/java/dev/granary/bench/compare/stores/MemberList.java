package dev.granary.bench.compare.stores;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.stream.LongStream;

/**
 * A list of members as an object.
 *
 * <pre>
 *   0        8         16
 *   +--------+--------+--------+ ...
 *   | version| member | member |
 *   +--------+--------+--------+ ...
 * </pre>
 */
final class MemberList {

    private final long version;
    private final long[] members;

    MemberList(long version, long[] members) {
        this.version = version;
        this.members = members;
    }

    static MemberList of(byte[] value) {
        ByteBuffer bytes = ByteBuffer.wrap(value);
        long version = bytes.getLong();
        long[] members = new long[bytes.remaining() / Long.BYTES];
        bytes.asLongBuffer().get(members);
        return new MemberList(version, members);
    }

    static int bytes(int members) {
        return Long.BYTES * (1 + members);
    }

    byte[] toBytes() {
        ByteBuffer bytes = ByteBuffer.allocate(bytes(members.length));
        bytes.putLong(version).asLongBuffer().put(members);
        return bytes.array();
    }

    /** Counts the changes of the list. */
    long version() {
        return version;
    }

    /** Not to be changed. */
    long[] members() {
        return members;
    }

    boolean has(long member) {
        return Arrays.stream(members).anyMatch(each -> each == member);
    }

    /** The members with one more. */
    long[] with(long member) {
        return LongStream.concat(Arrays.stream(members), LongStream.of(member)).toArray();
    }

    /** The members without one. */
    long[] without(long member) {
        return Arrays.stream(members).filter(each -> each != member).toArray();
    }
}
