package dev.granary.operator.plan;

import io.fabric8.kubernetes.api.model.Quantity;
import java.util.Locale;

/** Converts between bytes, Kubernetes quantities and short texts. */
public final class Sizes {
    private static final String[] UNITS = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};

    private Sizes() {}

    /**
     * Bytes of a quantity, rounded down.
     *
     * @throws InvalidSpecException when the quantity is not a whole number of bytes
     */
    public static long bytes(String field, Quantity quantity) {
        try {
            return Quantity.getAmountInBytes(quantity).longValueExact();
        } catch (ArithmeticException | IllegalArgumentException e) {
            throw new InvalidSpecException(
                    field + " must be a whole number of bytes such as 512Mi, but it is " + quantity);
        }
    }

    /** The exact quantity with the largest binary unit that divides the bytes, for instance {@code 1696Mi}. */
    public static String quantity(long bytes) {
        int unit = 0;
        long value = bytes;
        while (value != 0 && unit < UNITS.length - 1 && (value & 1023) == 0) {
            value >>= 10;
            unit++;
        }
        return value + UNITS[unit];
    }

    /** A short text for people, for instance {@code 1.7Gi}; three digits at most. */
    public static String text(long bytes) {
        int unit = 0;
        double value = bytes;
        while (value >= 1024 && unit < UNITS.length - 1) {
            value /= 1024;
            unit++;
        }
        String digits = value >= 100 || value == Math.rint(value)
                ? Long.toString(Math.round(value))
                : String.format(Locale.ROOT, "%.1f", value);
        return digits + (unit == 0 ? "B" : UNITS[unit]);
    }
}
