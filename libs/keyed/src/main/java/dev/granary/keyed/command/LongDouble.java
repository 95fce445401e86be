package dev.granary.keyed.command;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A number with a fraction as Redis computes with it on x86-64: a {@code long double} with 64 bits of precision. So
 * sums and their texts are the same, digit for digit. Does not change.
 *
 * <p>Numbers below the least normal one, 3.4e-4932, keep more bits here. Their texts have 17 digits and are "0" anyway.
 */
final class LongDouble {

    /** Redis reads no longer texts. */
    private static final int MOST_TEXT_BYTES = 5 * 1024 - 1;

    private static final int PRECISION_BITS = 64;

    private static final int FRACTION_DIGITS = 17;

    private static final Pattern DECIMAL = Pattern.compile("[+-]?(?:\\d+\\.?\\d*|\\.\\d+)(?:[eE][+-]?\\d+)?");

    private static final Pattern INFINITE = Pattern.compile("[+-]?inf(?:inity)?", Pattern.CASE_INSENSITIVE);

    /** Numbers are below it. */
    private static final BigDecimal LIMIT = new BigDecimal(BigInteger.TWO.pow(16384));

    private static final int MOST_DECIMAL_EXPONENT = 4932;

    /** Numbers with a lower one are as good as zero, which Redis refuses. */
    private static final int LEAST_DECIMAL_EXPONENT = -4951;

    private static final LongDouble INFINITY = new LongDouble(null);

    /** Null for what is not finite, whatever its sign. */
    private final @Nullable BigDecimal value;

    private LongDouble(@Nullable BigDecimal value) {
        this.value = value;
    }

    /**
     * Reads a number: decimal digits with a sign, a point and an exponent if need be, or {@code inf}.
     *
     * @throws CommandException when it is none, is too large, or too small
     */
    static LongDouble parse(byte[] bytes) {
        if (bytes.length > MOST_TEXT_BYTES) {
            throw notAFloat();
        }
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        if (INFINITE.matcher(text).matches()) {
            return INFINITY;
        }
        if (!DECIMAL.matcher(text).matches()) {
            throw notAFloat();
        }
        LongDouble number = rounded(exact(text));
        if (!number.isFinite()) {
            throw notAFloat();
        }
        return number;
    }

    private static BigDecimal exact(String text) {
        BigDecimal exact;
        try {
            exact = new BigDecimal(text);
        } catch (NumberFormatException hugeExponent) {
            throw notAFloat();
        }
        long exponent = (long) exact.precision() - exact.scale() - 1;
        if (exact.signum() == 0) {
            return BigDecimal.ZERO;
        }
        if (exponent > MOST_DECIMAL_EXPONENT || exponent < LEAST_DECIMAL_EXPONENT) {
            throw notAFloat();
        }
        return exact;
    }

    private static CommandException notAFloat() {
        return new CommandException(CommandException.NOT_A_FLOAT);
    }

    LongDouble plus(LongDouble other) {
        return value == null || other.value == null ? INFINITY : rounded(value.add(other.value));
    }

    boolean isFinite() {
        return value != null;
    }

    /** Returns the nearest number of 64 bits; of two that are as near, the even one. */
    private static LongDouble rounded(BigDecimal exact) {
        if (exact.signum() == 0) {
            return new LongDouble(BigDecimal.ZERO);
        }
        BigInteger dividend = exact.unscaledValue().abs().multiply(BigInteger.TEN.pow(Math.max(0, -exact.scale())));
        BigInteger divisor = BigInteger.TEN.pow(Math.max(0, exact.scale()));
        // The quotient has 64 bits or one more.
        int shift = PRECISION_BITS - dividend.bitLength() + divisor.bitLength();
        if (shifted(dividend, shift).divide(shifted(divisor, -shift)).bitLength() > PRECISION_BITS) {
            shift--;
        }
        BigInteger scaledDivisor = shifted(divisor, -shift);
        BigInteger[] parts = shifted(dividend, shift).divideAndRemainder(scaledDivisor);
        BigInteger mantissa = parts[0];
        int half = parts[1].shiftLeft(1).compareTo(scaledDivisor);
        if (half > 0 || (half == 0 && mantissa.testBit(0))) {
            mantissa = mantissa.add(BigInteger.ONE);
        }
        BigDecimal value = shift <= 0
                ? new BigDecimal(mantissa.shiftLeft(-shift))
                : new BigDecimal(mantissa.multiply(BigInteger.valueOf(5).pow(shift)), shift);
        if (value.compareTo(LIMIT) >= 0) {
            return INFINITY;
        }
        return new LongDouble(exact.signum() < 0 ? value.negate() : value);
    }

    private static BigInteger shifted(BigInteger number, int bits) {
        return bits > 0 ? number.shiftLeft(bits) : number;
    }

    /** Returns the number with at most 17 digits behind the point, without zeros at the end. */
    @Override
    public String toString() {
        if (value == null) {
            return "inf";
        }
        BigDecimal shown = value.setScale(FRACTION_DIGITS, RoundingMode.HALF_EVEN);
        return shown.signum() == 0 ? "0" : shown.stripTrailingZeros().toPlainString();
    }
}
