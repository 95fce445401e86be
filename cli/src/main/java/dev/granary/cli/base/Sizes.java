package dev.granary.cli.base;

import java.util.Locale;

/** Numbers as people read them. */
public final class Sizes {

    private static final String[] BINARY_UNITS = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};

    private Sizes() {}

    /** Bytes with a binary unit: {@code 1536} is {@code 1.5 KiB}. */
    public static String bytes(long sizeBytes) {
        double value = sizeBytes;
        int unit = 0;
        while (Math.abs(value) >= 1024 && unit + 1 < BINARY_UNITS.length) {
            value /= 1024;
            unit++;
        }
        return unit == 0 ? sizeBytes + " B" : String.format(Locale.ROOT, "%.1f %s", value, BINARY_UNITS[unit]);
    }

    /** A count with separators: {@code 1234567} is {@code 1,234,567}. */
    public static String count(long count) {
        return String.format(Locale.ROOT, "%,d", count);
    }
}
