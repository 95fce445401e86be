package dev.granary.resp;

import java.math.BigDecimal;

/**
 * Numbers with a fraction as text: the fewest digits that tell a number from all others, laid out as Redis does since
 * 7.2. (Redis 7.0 writes 17 digits: 0.10000000000000001.)
 */
final class DoubleText {

    private DoubleText() {}

    static String of(double value) {
        if (Double.isNaN(value)) {
            return "nan";
        }
        if (Double.isInfinite(value)) {
            return value > 0 ? "inf" : "-inf";
        }
        String sign = Double.doubleToRawLongBits(value) < 0 ? "-" : "";
        if (value == 0) {
            return sign + "0";
        }
        BigDecimal exact = new BigDecimal(Double.toString(Math.abs(value))).stripTrailingZeros();
        return sign + layOut(exact.unscaledValue().toString(), -exact.scale());
    }

    /** Lays out the digits times ten to the power: plain where that is short, else with an exponent. */
    private static String layOut(String digits, int power) {
        int exponent = power + digits.length() - 1;
        if (power >= 0 && exponent < digits.length() + 7) {
            return digits + "0".repeat(power);
        }
        if (power < 0 && (power > -7 || Math.abs(exponent) < 4)) {
            int before = digits.length() + power;
            return before > 0
                    ? digits.substring(0, before) + "." + digits.substring(before)
                    : "0." + "0".repeat(-before) + digits;
        }
        String fraction = digits.length() > 1 ? "." + digits.substring(1) : "";
        return digits.charAt(0) + fraction + (exponent < 0 ? "e-" : "e+") + Math.abs(exponent);
    }
}
