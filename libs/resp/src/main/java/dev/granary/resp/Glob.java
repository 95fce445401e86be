package dev.granary.resp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;

/**
 * Redis's patterns: {@code *} for any bytes, {@code ?} for one, {@code [a-c]} or {@code [^a-c]} for one of several, and
 * a backslash before a byte that stands for itself. The work is at most the product of both lengths, whatever the
 * pattern. Immutable.
 */
public final class Glob {

    private static final int NONE = -1;

    private final byte[] pattern;
    private final boolean anyCase;

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
                continue;
            }
            int behind = next < pattern.length ? behindOne(next, text.getByte(from + at)) : NONE;
            if (behind != NONE) {
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

    /** Returns where the pattern goes on behind an element that a byte matches; NONE if the byte does not match. */
    private int behindOne(int next, byte value) {
        switch (pattern[next]) {
            case '?' -> {
                return next + 1;
            }
            case '[' -> {
                return behindClass(next + 1, value);
            }
            case '\\' -> {
                int literal = next + 1 < pattern.length ? next + 1 : next;
                return fold(pattern[literal]) == fold(value) ? literal + 1 : NONE;
            }
            default -> {
                return fold(pattern[next]) == fold(value) ? next + 1 : NONE;
            }
        }
    }

    /** Does the same for a class, which ends at a bracket or with the pattern. */
    private int behindClass(int first, byte value) {
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
        return found == not ? NONE : Math.min(at + 1, pattern.length);
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
