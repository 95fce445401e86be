package dev.granary.memory.map;

/** The decoded columns of a hash group: entries can be added and removed, and bases and widths chosen again. */
final class MapImage {

    private final byte[] fingerprints;
    private final int[] keyCodes;
    private final int[] valueBytes;
    private final int[] expiries;
    private int count;

    /** Makes an empty group with room for {@code capacity} entries. */
    MapImage(int capacity) {
        fingerprints = new byte[capacity];
        keyCodes = new int[capacity];
        valueBytes = new int[capacity];
        expiries = new int[capacity];
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
                    MapGroup.expiry(memory, block, header, i));
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
        expiries[count] = (int) expiry;
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
        System.arraycopy(expiries, index + 1, expiries, index, rest);
        count--;
    }

    void setExpiry(int index, long expiry) {
        expiries[index] = (int) expiry;
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
        return Integer.toUnsignedLong(expiries[index]);
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
        return expiryBase == 0 ? header : MapGroup.withExpiry(header, expiryWidth(expiryBase));
    }

    /** Writes everything in front of the data. */
    void writeColumns(MapMemory memory, long block, long header) {
        memory.setWord(block, header);
        long base = 0;
        if (MapGroup.hasExpiry(header)) {
            base = expiryBase();
            memory.setNumber(block + MapGroup.HEADER_BYTES, 4, base);
        }
        long fingerprint = block + MapGroup.fingerprints(header);
        long keyCode = block + MapGroup.keyCodes(header);
        long valueLength = block + MapGroup.valueLengths(header);
        long expiry = block + MapGroup.expiries(header);
        int keyWidth = MapGroup.keyWidth(header);
        int valueWidth = MapGroup.valueWidth(header);
        int expiryWidth = MapGroup.expiryWidth(header);
        int keyBase = MapGroup.keyBase(header);
        int valueBase = MapGroup.valueBase(header);
        for (int i = 0; i < count; i++) {
            memory.setNumber(fingerprint + i, 1, fingerprints[i]);
            memory.setNumber(keyCode + (long) i * keyWidth, keyWidth, keyCodes[i] - keyBase);
            memory.setNumber(valueLength + (long) i * valueWidth, valueWidth, valueBytes[i] - valueBase);
            long delta = expiries[i] == 0 ? 0 : expiry(i) - base + 1;
            memory.setNumber(expiry + (long) i * expiryWidth, expiryWidth, delta);
        }
    }

    /** The earliest expiry, 0 if there is none. */
    private long expiryBase() {
        long base = 0;
        for (int i = 0; i < count; i++) {
            long expiry = expiry(i);
            if (expiry != 0 && (base == 0 || expiry < base)) {
                base = expiry;
            }
        }
        return base;
    }

    private int expiryWidth(long base) {
        long top = 0;
        boolean allSame = true;
        for (int i = 0; i < count; i++) {
            top = Math.max(top, expiry(i));
            allSame &= expiry(i) == base;
        }
        return allSame ? 0 : widthOf(top - base + 1);
    }

    private static int width(int top) {
        return top == 0 ? 0 : widthOf(top);
    }

    private static int widthOf(long top) {
        return (64 - Long.numberOfLeadingZeros(top) + 7) >>> 3;
    }
}
