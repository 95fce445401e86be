package dev.granary.cli.top;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * Keys as people read them. A key is bytes that anybody may have chosen: what a terminal would not show as it is, and
 * what could steer it, is written as {@code \xNN}.
 */
final class KeyText {

    private KeyText() {}

    /**
     * Returns a key as text: as UTF-8 if it is that and can be shown, otherwise byte by byte.
     *
     * @param key with a character for each byte
     */
    static String of(String key) {
        byte[] bytes = key.getBytes(StandardCharsets.ISO_8859_1);
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
            if (text.codePoints().allMatch(KeyText::isShown)) {
                return text.replace("\\", "\\\\");
            }
        } catch (CharacterCodingException e) {
            // It is no text: byte by byte.
        }
        StringBuilder escaped = new StringBuilder();
        for (byte each : bytes) {
            if (each == '\\') {
                escaped.append("\\\\");
            } else if (each >= ' ' && each < 0x7F) {
                escaped.append((char) each);
            } else {
                escaped.append(String.format("\\x%02x", each));
            }
        }
        return escaped.toString();
    }

    private static boolean isShown(int codePoint) {
        return switch (Character.getType(codePoint)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> false;
            default -> true;
        };
    }

    /** Cuts a text to a number of characters; three dots say so. */
    static String cut(String text, int most) {
        return text.length() <= most ? text : text.substring(0, most - 3) + "...";
    }
}
