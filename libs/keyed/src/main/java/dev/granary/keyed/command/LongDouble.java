package dev.granary.keyed.command;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Numbers with a fraction as Redis computes with them on x86-64: the C type {@code long double}, which has 64
 * significant bits and powers of two from -16445 to 16383. So sums and their texts are the same, digit for digit. A
 * number is exact, or infinite with either sign. It does not change.
 */
final class LongDouble {

    static final LongDouble ZERO = new LongDouble(BigDecimal.ZERO);

    private static final LongDouble INFINITE = new LongDouble(null);

    private static final int SIGNIFICANT_BITS = 64;
    private static final int LEAST_POWER = -16_445;
    private static final int POWER_LIMIT = 16_384;

    /** Longer texts are no numbers. */
    private static final int TEXT_LIMIT_BYTES = 5 * 1024;

    /** Powers of ten or two behind this one are too large or too small whatever digits come with them. */
    private static final int FAR_POWER = 40_000;

    /** Redis writes so many digits behind the point. */
    private static final int FRACTION_DIGITS = 17;

    private static final Pattern INFINITY = Pattern.compile("[+-]?inf(inity)?");
    private static final Pattern DECIMAL =
            Pattern.compile("([+-]?)([0-9]+(?:\\.[0-9]*)?|\\.[0-9]+)(?:e([+-]?[0-9]+))?");
    private static final Pattern HEXADECIMAL =
            Pattern.compile("([+-]?)0x([0-9a-f]+(?:\\.[0-9a-f]*)?|\\.[0-9a-f]+)(?:p([+-]?[0-9]+))?");

    private final @Nullable BigDecimal value;

    private LongDouble(@Nullable BigDecimal value) {
        this.value = value;
    }

    boolean isFinite() {
        return value != null;
    }

    /**
     * Returns the number that a text is.
     *
     * @throws CommandException when it is none, or one out of range
     */
    static LongDouble parse(byte[] text) {
        LongDouble number = read(text);
        if (number == null) {
            throw new CommandException(CommandException.NOT_A_FLOAT);
        }
        return number;
    }

    /** Returns the number that a text is; null if it is none, or one out of range. */
    static @Nullable LongDouble read(byte[] text) {
        if (text.length == 0 || text.length >= TEXT_LIMIT_BYTES) {
            return null;
        }
        String small = new String(text, StandardCharsets.ISO_8859_1).toLowerCase(Locale.ROOT);
        if (INFINITY.matcher(small).matches()) {
            return INFINITE;
        }
        Matcher decimal = DECIMAL.matcher(small);
        if (decimal.matches()) {
            return inRange(digits(decimal, 10), power(decimal));
        }
        Matcher hexadecimal = HEXADECIMAL.matcher(small);
        return hexadecimal.matches() ? inRangeOfTwo(digits(hexadecimal, 16), power(hexadecimal)) : null;
    }

    /** A whole number of digits, and how many of them stand behind the point. */
    private record Digits(BigInteger whole, int behindPoint) {}

    private static Digits digits(Matcher number, int radix) {
        String all = number.group(2);
        int point = all.indexOf('.');
        String digits = point < 0 ? all : all.substring(0, point) + all.substring(point + 1);
        BigInteger whole = new BigInteger(digits, radix);
        return new Digits(
                number.group(1).equals("-") ? whole.negate() : whole, point < 0 ? 0 : digits.length() - point);
    }

    private static int power(Matcher number) {
        String text = number.group(3);
        if (text == null) {
            return 0;
        }
        BigInteger far = BigInteger.valueOf(FAR_POWER);
        return new BigInteger(text).min(far).max(far.negate()).intValue();
    }

    private static @Nullable LongDouble inRange(Digits digits, int power) {
        return inRange(new BigDecimal(digits.whole, digits.behindPoint - power));
    }

    private static @Nullable LongDouble inRangeOfTwo(Digits digits, int power) {
        int two = power - 4 * digits.behindPoint;
        int top = digits.whole.bitLength() + two;
        if (digits.whole.signum() == 0) {
            return ZERO;
        }
        if (top > POWER_LIMIT + 1 || top < LEAST_POWER) {
            return null;
        }
        if (two >= 0) {
            return inRange(new BigDecimal(digits.whole.shiftLeft(two)));
        }
        return inRange(timesPowerOfTwo(digits.whole, two));
    }

    private static @Nullable LongDouble inRange(BigDecimal exact) {
        LongDouble rounded = rounded(exact);
        boolean lost = rounded.value == null || (rounded.value.signum() == 0 && exact.signum() != 0);
        return lost ? null : rounded;
    }

    /** Returns the nearest number, of two that are equally near the even one. */
    private static LongDouble rounded(BigDecimal exact) {
        if (exact.signum() == 0) {
            return ZERO;
        }
        long magnitude = (long) exact.precision() - exact.scale();
        if (Math.abs(magnitude) > POWER_LIMIT) {
            return magnitude > 0 ? INFINITE : ZERO;
        }
        BigInteger over = exact.unscaledValue().abs();
        BigInteger under = BigInteger.ONE;
        if (exact.scale() > 0) {
            under = BigInteger.TEN.pow(exact.scale());
        } else {
            over = over.multiply(BigInteger.TEN.pow(-exact.scale()));
        }
        int power = Math.max(LEAST_POWER, over.bitLength() - under.bitLength() - SIGNIFICANT_BITS);
        BigInteger bits = quotient(over, under, power);
        while (bits.bitLength() > SIGNIFICANT_BITS) {
            // One bit too many, or the rounding made one more.
            bits = quotient(over, under, ++power);
        }
        if (bits.bitLength() + power > POWER_LIMIT) {
            return INFINITE;
        }
        return new LongDouble(timesPowerOfTwo(exact.signum() < 0 ? bits.negate() : bits, power));
    }

    /** Returns over / (under * 2^power), rounded to a whole number, half to even. */
    private static BigInteger quotient(BigInteger over, BigInteger under, int power) {
        BigInteger divisor = power > 0 ? under.shiftLeft(power) : under;
        BigInteger[] parts = (power < 0 ? over.shiftLeft(-power) : over).divideAndRemainder(divisor);
        int half = parts[1].shiftLeft(1).compareTo(divisor);
        return half > 0 || (half == 0 && parts[0].testBit(0)) ? parts[0].add(BigInteger.ONE) : parts[0];
    }

    private static BigDecimal timesPowerOfTwo(BigInteger bits, int power) {
        if (power >= 0) {
            return new BigDecimal(bits.shiftLeft(power));
        }
        // 2^-n is 5^n / 10^n.
        return new BigDecimal(bits.multiply(BigInteger.valueOf(5).pow(-power)), -power);
    }

    LongDouble plus(LongDouble other) {
        return value == null || other.value == null ? INFINITE : rounded(value.add(other.value));
    }

    /** Returns the number as Redis writes it: in plain digits, without zeros at the end of the fraction. */
    @Override
    public String toString() {
        if (value == null) {
            return "inf";
        }
        BigDecimal shown = value.setScale(FRACTION_DIGITS, RoundingMode.HALF_EVEN);
        return shown.signum() == 0 ? "0" : shown.stripTrailingZeros().toPlainString();
    }
}
