package dev.granary.resp.acl;

import dev.granary.resp.Glob;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * Keys that may be read, or written, or both. Each character of the pattern is a byte.
 *
 * @param glob matches the keys
 */
record KeyPattern(boolean read, boolean write, String pattern, Glob glob) {

    private static KeyPattern of(boolean read, boolean write, String pattern) {
        return new KeyPattern(read, write, pattern, new Glob(pattern.getBytes(StandardCharsets.ISO_8859_1), false));
    }

    /**
     * Reads {@code ~PATTERN}, {@code %R~PATTERN}, {@code %W~PATTERN} or {@code %RW~PATTERN}.
     *
     * @throws RuleException when it is malformed
     */
    static KeyPattern parse(String rule) throws RuleException {
        int tilde = rule.indexOf('~');
        String how = tilde < 1 ? "" : rule.substring(1, tilde).toUpperCase(Locale.ROOT);
        boolean isPlain = tilde == 0;
        boolean isKnown = isPlain || how.equals("R") || how.equals("W") || how.equals("RW") || how.equals("WR");
        String pattern = rule.substring(tilde + 1);
        if (tilde < 0 || !isKnown || User.hasSpaces(pattern)) {
            throw new RuleException(RuleException.SYNTAX);
        }
        return of(isPlain || how.contains("R"), isPlain || how.contains("W"), pattern);
    }

    /** Returns the pattern with what another one allows for the same keys. */
    KeyPattern with(KeyPattern other) {
        return of(read || other.read, write || other.write, pattern);
    }

    /** Returns whether it matches all keys, and so means all chunks as well. */
    boolean isOfAll() {
        return pattern.equals("*");
    }

    /** Returns whether the pattern allows that. */
    boolean allows(boolean reading, boolean writing) {
        return (read || !reading) && (write || !writing);
    }

    /** Returns the rule that says the same. */
    String text() {
        return (read && write ? "~" : read ? "%R~" : "%W~") + pattern;
    }
}
