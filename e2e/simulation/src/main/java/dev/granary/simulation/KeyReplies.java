package dev.granary.simulation;

import java.util.ArrayList;
import java.util.List;

/** Reads replies of the Redis protocol whose texts have no line of their own. */
final class KeyReplies {

    private static final String NIL = "$-1";

    private KeyReplies() {}

    /** Returns replies as {@link dev.granary.testkit.KeyHistory} has them: the sign of the type, and the text. */
    static List<String> of(String text) {
        List<String> replies = new ArrayList<>();
        String[] lines = text.split("\r\n", -1);
        for (int i = 0; i < lines.length - 1; i++) {
            boolean bulk = lines[i].startsWith("$") && !lines[i].equals(NIL);
            replies.add(bulk ? "$" + lines[++i] : lines[i]);
        }
        return replies;
    }

    /** Returns the marks of a reply to WATCH, an array of integers. */
    static List<Long> marks(String text) {
        return of(text).stream()
                .skip(1)
                .map(mark -> Long.parseLong(mark.substring(1)))
                .toList();
    }
}
