package dev.granary.keyed.compare;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A reply, taken apart.
 *
 * @param type its first byte
 * @param text its line, or the bytes of a bulk string
 * @param elements those of an array, a set or a map
 * @param end where it ended in the bytes it was read from
 */
record Reply(char type, String text, List<Reply> elements, int end) {

    /** Returns the reply that begins at a place; null if it is not whole. */
    static @Nullable Reply read(byte[] bytes, int from, int limit) {
        int lineEnd = from;
        while (lineEnd + 1 < limit && !(bytes[lineEnd] == '\r' && bytes[lineEnd + 1] == '\n')) {
            lineEnd++;
        }
        if (lineEnd + 1 >= limit) {
            return null;
        }
        char type = (char) bytes[from];
        String line = text(bytes, from + 1, lineEnd);
        int at = lineEnd + 2;
        return switch (type) {
            case '$', '=' -> bulk(bytes, type, Integer.parseInt(line), at, limit);
            case '*', '~', '%', '>' -> array(bytes, type, line, at, limit);
            default -> new Reply(type, line, List.of(), at);
        };
    }

    /** Returns the reply at the beginning of bytes that hold all of it. */
    static Reply of(byte[] bytes) {
        return Objects.requireNonNull(read(bytes, 0, bytes.length), "the reply is not whole");
    }

    private static @Nullable Reply bulk(byte[] bytes, char type, int length, int from, int limit) {
        if (length < 0) {
            return new Reply(type, "(nothing)", List.of(), from);
        }
        int end = from + length + 2;
        return end > limit ? null : new Reply(type, text(bytes, from, end - 2), List.of(), end);
    }

    private static @Nullable Reply array(byte[] bytes, char type, String line, int from, int limit) {
        int count = Integer.parseInt(line) * (type == '%' ? 2 : 1);
        List<Reply> elements = new ArrayList<>();
        int at = from;
        for (int i = 0; i < count; i++) {
            Reply element = read(bytes, at, limit);
            if (element == null) {
                return null;
            }
            elements.add(element);
            at = element.end;
        }
        return new Reply(type, line, elements, at);
    }

    private static String text(byte[] bytes, int from, int to) {
        return new String(bytes, from, to - from, StandardCharsets.ISO_8859_1);
    }

    /** Returns the reply as text that tells it from all others. */
    String exact() {
        return type + text + elements.stream().map(Reply::exact).collect(Collectors.joining(" ", "(", ")"));
    }

    /** Returns text that is the same whatever the order of elements, or of pairs of them; a scan's are inside. */
    String unordered(boolean pairs) {
        if (elements.size() == 2 && elements.get(1).type == '*') {
            return elements.get(0).exact() + elements.get(1).unordered(pairs);
        }
        int step = pairs ? 2 : 1;
        List<String> parts = IntStream.range(0, elements.size() / step)
                .mapToObj(i -> elements.subList(step * i, step * i + step).stream()
                        .map(Reply::exact)
                        .collect(Collectors.joining("=")))
                .sorted()
                .toList();
        return type + text + parts;
    }

    /** Returns text that tells its types and sizes only; errors and simple strings are told whole. */
    String shape() {
        boolean whole = type == '-' || type == '+' || text.equals("(nothing)");
        return type
                + (whole || !elements.isEmpty() ? text : "")
                + elements.stream().map(Reply::shape).toList();
    }

    /** Returns whether both are equal, or large whole numbers that are nearly equal: times. */
    boolean isNear(Reply other) {
        if (type == ':' && other.type == ':') {
            long one = Long.parseLong(text);
            long two = Long.parseLong(other.text);
            return one == two || (Math.min(one, two) > 9_000 && Math.abs(one - two) < 60_000);
        }
        return exact().equals(other.exact());
    }
}
