package dev.granary.resp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;

/**
 * Redis's patterns: {@code *} for any bytes, {@code ?} for one, {@code [a-c]} or {@code [^a-c]} for one of several, and
 * a backslash before a byte that stands for itself. The work is at most the product of both lengths, whatever the
 * pattern. A pattern is of one thread.
 */
public final class Glob {

    private static final int NONE = -1;

    private final byte[] pattern;
    private final boolean anyCase;

    /** Where the pattern goes on behind the element that was matched last. */
    private int behind;

    /** A pattern; in any case if capitals and small letters are the same. */
    public Glob(byte[] pattern, boolean anyCase) {
        this.pattern = pattern.clone();
        this.anyCase = anyCase;
    }

    /** Returns whether all the bytes match. */
    public boolean matches(ByteBuf text, int from, int length) {
        int at = 0;
        int next = 0;
        int star = NONE;
        int starText = 0;
        while (at < length) {
            if (next < pattern.length && pattern[next] == '*') {
                star = ++next;
                starText = at;
            } else if (next < pattern.length && matchesOne(next, text.getByte(from + at))) {
                next = behind;
                at++;
            } else if (star == NONE) {
                return false;
            } else {
                // The last star takes one byte more; stars before it need not be tried again.
                next = star;
                at = ++starText;
            }
        }
        while (next < pattern.length && pattern[next] == '*') {
            next++;
        }
        return next == pattern.length;
    }

    /** Returns whether all of a text of ASCII characters matches. */
    public boolean matches(String text) {
        return matches(Unpooled.wrappedBuffer(text.getBytes(StandardCharsets.US_ASCII)), 0, text.length());
    }

    private boolean matchesOne(int next, byte value) {
        switch (pattern[next]) {
            case '?' -> {
                behind = next + 1;
                return true;
            }
            case '[' -> {
                return matchesClass(next + 1, value);
            }
            case '\\' -> {
                int literal = next + 1 < pattern.length ? next + 1 : next;
                behind = literal + 1;
                return fold(pattern[literal]) == fold(value);
            }
            default -> {
                behind = next + 1;
                return fold(pattern[next]) == fold(value);
            }
        }
    }

    /** Reads all of a class, which ends at a bracket or with the pattern. */
    private boolean matchesClass(int first, byte value) {
        int at = first;
        boolean not = at < pattern.length && pattern[at] == '^';
        if (not) {
            at++;
        }
        boolean found = false;
        while (at < pattern.length && pattern[at] != ']') {
            if (pattern[at] == '\\' && at + 1 < pattern.length) {
                // As in Redis, in its own case only.
                found |= pattern[at + 1] == value;
                at += 2;
            } else if (at + 2 < pattern.length && pattern[at + 1] == '-') {
                found |= isBetween(pattern[at], pattern[at + 2], value);
                at += 3;
            } else {
                found |= fold(pattern[at]) == fold(value);
                at++;
            }
        }
        behind = Math.min(at + 1, pattern.length);
        return found != not;
    }

    private boolean isBetween(byte one, byte other, byte value) {
        byte low = fold((byte) Math.min(one, other));
        byte high = fold((byte) Math.max(one, other));
        return fold(value) >= low && fold(value) <= high;
    }

    private byte fold(byte value) {
        return anyCase && value >= 'A' && value <= 'Z' ? (byte) (value + ('a' - 'A')) : value;
    }
}
