package dev.granary.overlay;

import java.util.HexFormat;

/** Reads the hexadecimal form of identifiers. */
final class Hex {

    private Hex() {}

    /**
     * Reads {@code 0x} and 1 to {@code maxDigits} hexadecimal digits.
     *
     * @param what the kind of identifier, for the message
     * @param maxDigits at most 16
     * @throws IllegalArgumentException saying what is wrong with the text
     */
    static long parse(String what, String text, int maxDigits) {
        if (!text.startsWith("0x") && !text.startsWith("0X")) {
            throw new IllegalArgumentException(what + " '" + text + "' does not start with 0x");
        }
        int digits = text.length() - 2;
        if (digits < 1 || digits > maxDigits) {
            throw new IllegalArgumentException(
                    what + " '" + text + "' has " + digits + " digits after 0x; 1 to " + maxDigits + " are allowed");
        }
        for (int i = 2; i < text.length(); i++) {
            if (!HexFormat.isHexDigit(text.charAt(i))) {
                throw new IllegalArgumentException(what + " '" + text + "' has the character '" + text.charAt(i)
                        + "', which is no hexadecimal digit");
            }
        }
        return Long.parseUnsignedLong(text, 2, text.length(), 16);
    }
}
