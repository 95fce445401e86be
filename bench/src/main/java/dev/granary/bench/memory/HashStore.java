package dev.granary.bench.memory;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Hash tables from identifiers to 8 bytes, with which the DXRAM paper compares its CID tables (section V-C). For one
 * thread. The key of an object is its number plus one, because 0 stands for a free slot.
 */
final class HashStore implements BenchStore {

    /** The tables. */
    enum Kind {
        /** The JDK's, with objects as keys and values. */
        HASH_MAP,
        /** Two arrays of longs, linear probing, at most three quarters full. */
        OPEN_ADDRESSING,
        /** Two tables of longs and two hash functions (Pagh and Rodler, 2001), at most 45 % full. */
        CUCKOO;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /** The operations of a table. */
    private interface Table {
        long ABSENT = Long.MIN_VALUE;

        long find(long key);

        void store(long key, long value);
    }

    private final Table table;

    private HashStore(Table table) {
        this.table = table;
    }

    static Factory factory(Kind kind) {
        return new Factory() {
            @Override
            public String store() {
                return kind.toString();
            }

            @Override
            public String layout() {
                return "";
            }

            @Override
            public BenchStore open(long chunks, SizePattern sizes) {
                if (sizes.minBytes() != Long.BYTES || sizes.maxBytes() != Long.BYTES) {
                    throw new BadOptionException("hash tables hold values of 8 B here");
                }
                return new HashStore(
                        switch (kind) {
                            case HASH_MAP -> new Boxed();
                            case OPEN_ADDRESSING -> new LinearProbing(chunks);
                            case CUCKOO -> new Cuckoo(chunks);
                        });
            }
        };
    }

    @Override
    public void insert(long index, Scratch payload, int sizeBytes) {
        put(keyOf(index), payload, sizeBytes);
    }

    @Override
    public long keyOf(long index) {
        return index + 1;
    }

    @Override
    public int get(long key, Scratch target) {
        long value = table.find(key);
        if (value == Table.ABSENT) {
            return -1;
        }
        target.segment().set(JAVA_LONG_UNALIGNED, 0, value);
        return Long.BYTES;
    }

    @Override
    public boolean put(long key, Scratch payload, int sizeBytes) {
        table.store(key, payload.segment().get(JAVA_LONG_UNALIGNED, 0));
        return true;
    }

    @Override
    public long overheadBytes() {
        return -1;
    }

    @Override
    public long measuringBytes() {
        return 0;
    }

    @Override
    public void close() {}

    private static long mix(long key, long seed) {
        long z = (key ^ seed) * 0x9e3779b97f4a7c15L;
        z = (z ^ (z >>> 32)) * 0xbf58476d1ce4e5b9L;
        return z ^ (z >>> 29);
    }

    private static final class Boxed implements Table {

        private final Map<Long, Long> map = new HashMap<>();

        @Override
        public long find(long key) {
            @Nullable Long value = map.get(key);
            return value == null ? ABSENT : value;
        }

        @Override
        public void store(long key, long value) {
            map.put(key, value);
        }
    }

    private static final class LinearProbing implements Table {

        private static final double MOST_FULL = 0.75;

        private final long[] keys;
        private final long[] values;

        LinearProbing(long objects) {
            keys = new long[slots(objects / MOST_FULL)];
            values = new long[keys.length];
        }

        @Override
        public long find(long key) {
            int slot = place(key);
            return keys[slot] == key ? values[slot] : ABSENT;
        }

        @Override
        public void store(long key, long value) {
            int slot = place(key);
            keys[slot] = key;
            values[slot] = value;
        }

        private int place(long key) {
            int slot = (int) Math.unsignedMultiplyHigh(mix(key, 0), keys.length);
            while (keys[slot] != key && keys[slot] != 0) {
                slot = slot + 1 == keys.length ? 0 : slot + 1;
            }
            return slot;
        }
    }

    private static final class Cuckoo implements Table {

        private static final double MOST_FULL = 0.45;
        private static final int MOST_MOVES = 500;
        private static final long OTHER = 0x1234_5678_9abc_def1L;

        /** Keys and values side by side, so that a lookup reads one cache line for each table. */
        private final long[][] slots;

        private final int tableSlots;

        Cuckoo(long objects) {
            tableSlots = slots(objects / MOST_FULL / 2);
            slots = new long[2][Math.multiplyExact(tableSlots, 2)];
        }

        @Override
        public long find(long key) {
            for (int i = 0; i < 2; i++) {
                int place = place(key, i);
                if (slots[i][place] == key) {
                    return slots[i][place + 1];
                }
            }
            return ABSENT;
        }

        @Override
        public void store(long key, long value) {
            for (int i = 0; i < 2; i++) {
                int place = place(key, i);
                if (slots[i][place] == key) {
                    slots[i][place + 1] = value;
                    return;
                }
            }
            long movedKey = key;
            long movedValue = value;
            for (int move = 0; move < MOST_MOVES; move++) {
                int table = move & 1;
                int place = place(movedKey, table);
                long oldKey = slots[table][place];
                long oldValue = slots[table][place + 1];
                slots[table][place] = movedKey;
                slots[table][place + 1] = movedValue;
                if (oldKey == 0) {
                    return;
                }
                movedKey = oldKey;
                movedValue = oldValue;
            }
            throw new IllegalStateException("a loop of cuckoos: the table would have to be rehashed");
        }

        private int place(long key, int table) {
            return (int) Math.unsignedMultiplyHigh(mix(key, table * OTHER), tableSlots) * 2;
        }
    }

    private static int slots(double wanted) {
        if (wanted > 1 << 30) {
            throw new BadOptionException("more objects than a table of longs holds here");
        }
        return (int) wanted + 16;
    }
}
