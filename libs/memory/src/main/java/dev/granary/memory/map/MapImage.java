package dev.granary.memory.map;

/** The decoded columns of a hash group: entries can be added and removed, and bases and widths chosen again. */
final class MapImage {

    private static final long[] NO_EXPIRIES = {};

    private final byte[] fingerprints;
    private final int[] keyCodes;
    private final int[] valueBytes;
    private long[] expiries = NO_EXPIRIES;
    private int count;

    /** Makes an empty group with room for {@code capacity} entries. */
    MapImage(int capacity) {
        fingerprints = new byte[capacity];
        keyCodes = new int[capacity];
        valueBytes = new int[capacity];
    }

    /** A group as it is, with room for some entries more. Under the group's latch. */
    static MapImage of(MapMemory memory, long block, long header, int more) {
        int entries = MapGroup.entries(header);
        MapImage image = new MapImage(entries + more);
        for (int i = 0; i < entries; i++) {
            image.add(
                    (int) memory.number(block + MapGroup.fingerprints(header) + i, 1),
                    MapGroup.keyCode(memory, block, header, i),
                    MapGroup.valueBytes(memory, block, header, i),
                    MapExpiries.get(memory, block, header, i));
        }
        return image;
    }

    int count() {
        return count;
    }

    void add(int fingerprint, int keyCode, int notedValueBytes, long expiry) {
        fingerprints[count] = (byte) fingerprint;
        keyCodes[count] = keyCode;
        valueBytes[count] = notedValueBytes;
        setExpiry(count, expiry);
        count++;
    }

    void add(MapEntry entry) {
        add(MapHash.fingerprint(entry.hash()), entry.keyCode(), entry.notedValueBytes(), entry.expiry());
    }

    /** Adds an entry of another group. */
    void add(MapImage other, int index) {
        add(other.fingerprints[index], other.keyCodes[index], other.valueBytes[index], other.expiry(index));
    }

    void remove(int index) {
        int rest = count - index - 1;
        System.arraycopy(fingerprints, index + 1, fingerprints, index, rest);
        System.arraycopy(keyCodes, index + 1, keyCodes, index, rest);
        System.arraycopy(valueBytes, index + 1, valueBytes, index, rest);
        if (expiries != NO_EXPIRIES) {
            System.arraycopy(expiries, index + 1, expiries, index, rest);
        }
        count--;
    }

    void setExpiry(int index, long expiry) {
        if (expiries == NO_EXPIRIES && expiry != OffHeapMap.NEVER) {
            expiries = new long[fingerprints.length];
        }
        if (expiries != NO_EXPIRIES) {
            expiries[index] = expiry;
        }
    }

    boolean isForward(int index) {
        return keyCodes[index] == MapGroup.FORWARD_KEY_CODE;
    }

    /** Of an entry that is no forward. */
    int keyBytes(int index) {
        return keyCodes[index] - 1;
    }

    /** What an entry takes of the data. */
    int dataBytes(int index) {
        return keyCodes[index] - 1 + valueBytes[index];
    }

    long expiry(int index) {
        return expiries == NO_EXPIRIES ? OffHeapMap.NEVER : expiries[index];
    }

    /** The header with the narrowest columns, 0 for no entries. */
    long header() {
        if (count == 0) {
            return 0;
        }
        int keyBase = Integer.MAX_VALUE;
        int valueBase = Integer.MAX_VALUE;
        int keyTop = 0;
        int valueTop = 0;
        int data = 0;
        for (int i = 0; i < count; i++) {
            keyBase = Math.min(keyBase, keyCodes[i]);
            keyTop = Math.max(keyTop, keyCodes[i]);
            valueBase = Math.min(valueBase, valueBytes[i]);
            valueTop = Math.max(valueTop, valueBytes[i]);
            data += dataBytes(i);
        }
        long header =
                MapGroup.header(count, width(keyTop - keyBase), width(valueTop - valueBase), keyBase, valueBase, data);
        long expiryBase = expiryBase();
        return expiryBase == OffHeapMap.NEVER ? header : MapGroup.withExpiry(header, expiryCode(expiryBase));
    }

    /** Writes everything in front of the data. */
    void writeColumns(MapMemory memory, long block, long header) {
        memory.setWord(block, header);
        if (MapGroup.hasExpiry(header)) {
            MapExpiries.setBase(memory, block, expiryBase());
        }
        long fingerprint = block + MapGroup.fingerprints(header);
        long keyCode = block + MapGroup.keyCodes(header);
        long valueLength = block + MapGroup.valueLengths(header);
        int keyWidth = MapGroup.keyWidth(header);
        int valueWidth = MapGroup.valueWidth(header);
        int keyBase = MapGroup.keyBase(header);
        int valueBase = MapGroup.valueBase(header);
        for (int i = 0; i < count; i++) {
            memory.setNumber(fingerprint + i, 1, fingerprints[i]);
            memory.setNumber(keyCode + (long) i * keyWidth, keyWidth, keyCodes[i] - keyBase);
            memory.setNumber(valueLength + (long) i * valueWidth, valueWidth, valueBytes[i] - valueBase);
            MapExpiries.set(memory, block, header, i, expiry(i));
        }
    }

    /** The earliest expiry, or never if there is none. */
    private long expiryBase() {
        long base = OffHeapMap.NEVER;
        for (int i = 0; i < count; i++) {
            long expiry = expiry(i);
            if (expiry != OffHeapMap.NEVER && (base == OffHeapMap.NEVER || expiry < base)) {
                base = expiry;
            }
        }
        return base;
    }

    private int expiryCode(long base) {
        long top = 0;
        boolean allSame = true;
        for (int i = 0; i < count; i++) {
            top = Math.max(top, expiry(i));
            allSame &= expiry(i) == base;
        }
        return allSame ? 0 : MapExpiries.code(base, top);
    }

    private static int width(int top) {
        return (32 - Integer.numberOfLeadingZeros(top) + 7) >>> 3;
    }
}
