package dev.granary.bench.memory;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Parses counts and sizes as people write them: {@code 10000000}, {@code 10_000_000}, {@code 10M}, {@code 16GiB}. */
public final class Numbers {

    private static final String COUNT_UNITS = "KMG";

    private Numbers() {}

    /**
     * Parses a count with underscores between digits or with a decimal unit: K, M or G.
     *
     * @param what the option, for the message
     * @throws BadOptionException when the text is not a count, or below 1
     */
    public static long count(String what, String text) {
        String digits = text.strip().toUpperCase(Locale.ROOT);
        long unit = 1;
        if (!digits.isEmpty()) {
            int place = COUNT_UNITS.indexOf(digits.charAt(digits.length() - 1));
            if (place >= 0) {
                unit = (long) Math.pow(1000, place + 1);
                digits = digits.substring(0, digits.length() - 1);
            }
        }
        return positive(what, text, digits, unit, "a number such as 10000000, 10_000_000 or 10M");
    }

    /**
     * Parses a number of bytes with a binary unit or none: {@code 1024}, {@code 64MiB}, {@code 16G}.
     *
     * @throws BadOptionException when the text is not a number of bytes, or below 1
     */
    public static long bytes(String what, String text) {
        String digits = text.strip().toUpperCase(Locale.ROOT);
        digits = digits.endsWith("IB")
                ? digits.substring(0, digits.length() - 2)
                : digits.endsWith("B") ? digits.substring(0, digits.length() - 1) : digits;
        long unit = 1;
        if (!digits.isEmpty()) {
            int place = "KMGT".indexOf(digits.charAt(digits.length() - 1));
            if (place >= 0) {
                unit = 1L << (10 * (place + 1));
                digits = digits.substring(0, digits.length() - 1);
            }
        }
        return positive(what, text, digits, unit, "a number of bytes such as 1073741824, 512MiB or 16GiB");
    }

    /** Parses a list of counts that are separated by commas and fit an int. */
    public static List<Integer> list(String what, String text) {
        List<Integer> numbers = new ArrayList<>();
        for (String part : text.split(",", -1)) {
            long number = count(what, part);
            if (number > Integer.MAX_VALUE) {
                throw new BadOptionException(what + " is too large: " + part.strip());
            }
            numbers.add((int) number);
        }
        return numbers;
    }

    private static long positive(String what, String text, String digits, long unit, String expected) {
        String plain = digits.strip();
        try {
            if (!plain.matches("[0-9](_?[0-9])*")) {
                throw new NumberFormatException();
            }
            long value = Math.multiplyExact(Long.parseLong(plain.replace("_", "")), unit);
            if (value >= 1) {
                return value;
            }
        } catch (NumberFormatException | ArithmeticException e) {
            throw new BadOptionException(what + " must be " + expected + ", not '" + text + "'", e);
        }
        throw new BadOptionException(what + " must be at least 1, not '" + text + "'");
    }
}
