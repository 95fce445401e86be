package dev.granary.keyed.command;

import dev.granary.keyed.hash.HashForm;
import dev.granary.keyed.hash.HashPairs;
import dev.granary.keyed.hash.HashTooLargeException;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Hashes in dumps. They are written in the form that every Redis reads; what a Redis 7 has written is read, whichever
 * of its two forms it is.
 */
final class HashDump implements DumpForm {

    /** The number of fields, then each field and its value. */
    private static final int RDB_HASH = 4;

    /** A string that is a listpack of fields and values in turn. */
    private static final int RDB_HASH_LISTPACK = 16;

    @Override
    public void write(byte[] content, DumpWriter out) {
        out.unsignedByte(RDB_HASH);
        HashPairs pairs = new HashPairs(content);
        out.length(pairs.count());
        while (pairs.next()) {
            out.string(pairs.field());
            out.string(pairs.value());
        }
    }

    @Override
    public boolean reads(int rdbType) {
        return rdbType == RDB_HASH || rdbType == RDB_HASH_LISTPACK;
    }

    @Override
    public byte[] read(int rdbType, DumpReader in) {
        Fields fields = new Fields();
        if (rdbType == RDB_HASH) {
            for (int left = in.length(); left > 0; left--) {
                fields.add(in.string(), in.string());
            }
        } else {
            List<byte[]> all = Listpack.read(in.string());
            if (all.size() % 2 != 0) {
                throw DumpReader.badFormat();
            }
            for (int i = 0; i < all.size(); i += 2) {
                fields.add(all.get(i), all.get(i + 1));
            }
        }
        if (fields.all.isEmpty()) {
            throw DumpReader.badFormat();
        }
        try {
            return HashForm.withAll(null, fields.all);
        } catch (HashTooLargeException e) {
            throw DumpReader.badFormat();
        }
    }

    /** What was read so far: no more than a hash may have, however well the rest is compressed. */
    private static final class Fields {

        private final Map<ByteBuffer, byte[]> all = new LinkedHashMap<>();
        private long sizeBytes;

        void add(byte[] field, byte[] value) {
            sizeBytes += field.length + value.length;
            if (sizeBytes > HashForm.MOST_BYTES || all.put(ByteBuffer.wrap(field), value) != null) {
                throw DumpReader.badFormat();
            }
        }
    }
}
