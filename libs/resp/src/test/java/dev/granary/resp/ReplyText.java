package dev.granary.resp;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Replies as text that is the same for replies that mean the same: what has no order is sorted. That is the elements of
 * sets, the entries of maps, and, in RESP2, of arrays that may have been one: those of nothing but arrays, and those in
 * which strings and arrays alternate.
 */
public final class ReplyText {

    private final String bytes;
    private int at;

    private ReplyText(String bytes) {
        this.bytes = bytes;
    }

    /** Returns the text of each reply. */
    public static List<String> all(String bytes) {
        ReplyText replies = new ReplyText(bytes);
        List<String> texts = new ArrayList<>();
        while (replies.at < bytes.length()) {
            texts.add(replies.next());
        }
        return texts;
    }

    /** Returns where the reply ends that begins at a place; -1 if it is not whole. */
    public static int end(String bytes, int from) {
        ReplyText replies = new ReplyText(bytes);
        replies.at = from;
        try {
            replies.next();
            return replies.at <= bytes.length() ? replies.at : -1;
        } catch (IndexOutOfBoundsException cutShort) {
            return -1;
        }
    }

    private String next() {
        char type = bytes.charAt(at++);
        int end = bytes.indexOf("\r\n", at);
        String line = bytes.substring(at, end);
        at = end + 2;
        switch (type) {
            case '$', '=' -> {
                int length = Integer.parseInt(line);
                if (length < 0) {
                    return "nothing";
                }
                String text = bytes.substring(at, at + length);
                at += length + 2;
                return (type == '$' ? "'" : "='") + text + "'";
            }
            case '*', '>' -> {
                List<String> elements = elements(Integer.parseInt(line));
                return (type == '*' ? "" : ">") + "[" + String.join(" ", sorted(elements)) + "]";
            }
            case '~' -> {
                return elements(Integer.parseInt(line)).stream().sorted().collect(Collectors.joining(" ", "{", "}"));
            }
            case '%', '|' -> {
                List<String> entries = pairs(elements(2 * Integer.parseInt(line)));
                return entries.stream().sorted().collect(Collectors.joining(" ", type + "{", "}"));
            }
            default -> {
                return type + line;
            }
        }
    }

    private List<String> elements(int count) {
        List<String> elements = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            elements.add(next());
        }
        return elements;
    }

    private static List<String> sorted(List<String> elements) {
        if (elements.stream().allMatch(ReplyText::isArray)) {
            return elements.stream().sorted().toList();
        }
        boolean alternate = elements.size() % 2 == 0
                && IntStream.range(0, elements.size()).allMatch(i -> isArray(elements.get(i)) == (i % 2 == 1));
        return alternate ? pairs(elements).stream().sorted().toList() : elements;
    }

    private static boolean isArray(String element) {
        return element.startsWith("[");
    }

    private static List<String> pairs(List<String> elements) {
        return IntStream.range(0, elements.size() / 2)
                .mapToObj(i -> elements.get(2 * i) + ": " + elements.get(2 * i + 1))
                .toList();
    }
}
