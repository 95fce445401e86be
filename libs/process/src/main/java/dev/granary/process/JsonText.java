package dev.granary.process;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Writes one JSON text, in the order of the calls. For the small status objects of a process; one thread.
 *
 * <p>Invariants: (1) a comma stands between two members and nowhere else; (2) {@link #end} closes what was opened last.
 */
public final class JsonText {

    private final StringBuilder out = new StringBuilder(512);
    private final Deque<Character> open = new ArrayDeque<>();
    private boolean first = true;

    /** Opens an object: the whole text, or the next element of an array. */
    public JsonText object() {
        separate();
        return open('{', '}');
    }

    /** Opens an object as a member of the current one. */
    public JsonText object(String name) {
        name(name);
        return open('{', '}');
    }

    /** Opens an array as a member of the current object. */
    public JsonText array(String name) {
        name(name);
        return open('[', ']');
    }

    /** Closes the object or array that was opened last. */
    public JsonText end() {
        out.append((char) open.pop());
        first = false;
        return this;
    }

    public JsonText field(String name, String value) {
        name(name);
        quote(value);
        first = false;
        return this;
    }

    public JsonText field(String name, long value) {
        return raw(name, Long.toString(value));
    }

    public JsonText field(String name, boolean value) {
        return raw(name, Boolean.toString(value));
    }

    /** A member whose value is already JSON. */
    public JsonText raw(String name, String json) {
        name(name);
        out.append(json);
        first = false;
        return this;
    }

    /** The whole text; everything must be closed. */
    @Override
    public String toString() {
        if (!open.isEmpty()) {
            throw new IllegalStateException("the JSON text is not closed: " + out);
        }
        return out.toString();
    }

    private JsonText open(char begin, char end) {
        out.append(begin);
        open.push(end);
        first = true;
        return this;
    }

    private void separate() {
        if (!first) {
            out.append(',');
        }
    }

    private void name(String name) {
        separate();
        quote(name);
        out.append(':');
    }

    private void quote(String text) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"' -> out.append("\\\"");
                case '\\' -> out.append("\\\\");
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                default -> {
                    if (c < ' ' || Character.isSurrogate(c) || c == 0x7F) {
                        out.append("\\u%04x".formatted((int) c));
                    } else {
                        out.append(c);
                    }
                }
            }
        }
        out.append('"');
    }
}
