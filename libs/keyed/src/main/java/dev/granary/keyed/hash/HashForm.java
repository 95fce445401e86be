package dev.granary.keyed.hash;

import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a hash: fields with their values, in the order in which they came. See docs/formats/keyed-values.md.
 *
 * <pre>
 *  +---------+----------+---------+----------+---------+-----------------------
 *  | count v | length v | field   | length v | value   | the next field ...
 *  +---------+----------+---------+----------+---------+-----------------------
 *
 *  v: seven bits in each byte, the lowest first; the highest bit says that another byte follows
 *
 *  a: 1, b: (nothing)    02  01 61  01 31  01 62  00
 * </pre>
 *
 * <p>A hash without fields does not exist. A first byte of zero is left for other forms.
 */
public final class HashForm {

    /** A hash takes so many bytes at most, as a chunk does. */
    public static final int MOST_BYTES = 8 << 20;

    private HashForm() {}

    /** Returns how many fields there are. */
    public static int count(byte[] content) {
        return VarInt.read(content, 0);
    }

    /**
     * Returns a hash in which a field has a value, a new one or instead of another.
     *
     * @param content the hash as it was; null if there was none
     * @throws HashTooLargeException when it would be too large
     */
    public static byte[] with(byte @Nullable [] content, byte[] field, byte[] value) {
        if (content == null) {
            HashWriter out = new HashWriter(HashWriter.size(field.length, value.length));
            out.pair(field, value);
            return out.bytes();
        }
        HashPairs pairs = new HashPairs(content);
        HashWriter out = new HashWriter((long) content.length + HashWriter.size(field.length, value.length));
        if (pairs.find(field)) {
            out.copy(content, pairs.first(), pairs.start(), pairs.index());
            out.pair(field, value);
            out.copy(content, pairs.end(), content.length, pairs.count() - pairs.index() - 1);
        } else {
            out.copy(content, pairs.first(), content.length, pairs.count());
            out.pair(field, value);
        }
        return out.bytes();
    }

    /**
     * Returns a hash in which fields have values. One walk over the hash, however many fields there are.
     *
     * @param content the hash as it was; null if there was none
     * @param changes fields with their values; new ones are added in this order
     * @throws HashTooLargeException when it would be too large
     */
    public static byte[] withAll(byte @Nullable [] content, Map<ByteBuffer, byte[]> changes) {
        long bytes = content == null ? 0 : content.length;
        for (Map.Entry<ByteBuffer, byte[]> change : changes.entrySet()) {
            bytes += HashWriter.size(change.getKey().remaining(), change.getValue().length);
        }
        HashWriter out = new HashWriter(bytes);
        Map<ByteBuffer, byte[]> fresh = changes;
        if (content != null) {
            fresh = new LinkedHashMap<>(changes);
            HashPairs pairs = new HashPairs(content);
            while (pairs.next()) {
                byte[] value = fresh.remove(pairs.fieldInPlace());
                if (value == null) {
                    out.copy(content, pairs.start(), pairs.end(), 1);
                } else {
                    out.pair(pairs.field(), value);
                }
            }
        }
        fresh.forEach((field, value) -> out.pair(bytes(field), value));
        return out.bytes();
    }

    private static byte[] bytes(ByteBuffer field) {
        byte[] bytes = new byte[field.remaining()];
        field.get(field.position(), bytes);
        return bytes;
    }

    /** Returns a hash that lacks fields; null when none is left. Returns the same bytes when it has none of them. */
    public static byte @Nullable [] without(byte[] content, Set<ByteBuffer> fields) {
        HashPairs pairs = new HashPairs(content);
        HashWriter out = new HashWriter(content.length);
        while (pairs.next()) {
            if (!fields.contains(pairs.fieldInPlace())) {
                out.copy(content, pairs.start(), pairs.end(), 1);
            }
        }
        if (out.count() == pairs.count()) {
            return content;
        }
        return out.count() == 0 ? null : out.bytes();
    }
}
