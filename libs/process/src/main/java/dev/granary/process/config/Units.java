package dev.granary.process.config;

/** Sizes with binary suffixes and times with units, as people write them. */
final class Units {

    private static final String[] SIZE_SUFFIXES = {"Ti", "Gi", "Mi", "Ki", ""};
    private static final long[] SIZE_FACTORS = {1L << 40, 1L << 30, 1L << 20, 1L << 10, 1};

    private static final String[] TIME_SUFFIXES = {"h", "m", "s", "ms"};
    private static final long[] TIME_FACTORS = {3_600_000_000_000L, 60_000_000_000L, 1_000_000_000L, 1_000_000L};

    private Units() {}

    static long parseSize(String text) {
        for (int i = 0; i < SIZE_SUFFIXES.length; i++) {
            if (text.endsWith(SIZE_SUFFIXES[i])) {
                return multiply(text, SIZE_SUFFIXES[i], SIZE_FACTORS[i], "is no size");
            }
        }
        throw new IllegalArgumentException("is no size");
    }

    static long parseDurationNanos(String text) {
        // The longest suffix first: "ms" ends with "s".
        for (int i = TIME_SUFFIXES.length - 1; i >= 0; i--) {
            if (text.endsWith(TIME_SUFFIXES[i])) {
                return multiply(text, TIME_SUFFIXES[i], TIME_FACTORS[i], "is no time");
            }
        }
        throw new IllegalArgumentException("has no unit");
    }

    private static long multiply(String text, String suffix, long factor, String complaint) {
        String digits = text.substring(0, text.length() - suffix.length()).strip();
        if (digits.isEmpty() || !digits.chars().allMatch(c -> c >= '0' && c <= '9')) {
            throw new IllegalArgumentException(complaint);
        }
        try {
            return Math.multiplyExact(Long.parseLong(digits), factor);
        } catch (NumberFormatException | ArithmeticException e) {
            throw new IllegalArgumentException("is too large", e);
        }
    }

    static String formatSize(long sizeBytes) {
        return format(sizeBytes, SIZE_SUFFIXES, SIZE_FACTORS, "");
    }

    static String formatDuration(long nanos) {
        return format(nanos, TIME_SUFFIXES, TIME_FACTORS, "ns");
    }

    /** With the largest unit that divides the value. */
    private static String format(long value, String[] suffixes, long[] factors, String baseSuffix) {
        for (int i = 0; i < suffixes.length && value != 0; i++) {
            if (value % factors[i] == 0) {
                return value / factors[i] + suffixes[i];
            }
        }
        return value + baseSuffix;
    }
}
