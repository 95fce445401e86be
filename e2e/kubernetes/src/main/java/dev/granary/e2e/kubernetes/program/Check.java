package dev.granary.e2e.kubernetes.program;

import com.google.errorprone.annotations.FormatMethod;

/** Checks; a failure says what was seen. */
public final class Check {

    private Check() {}

    /** Fails with the message unless the condition holds. */
    @FormatMethod
    public static void that(boolean condition, String message, Object... arguments) {
        if (!condition) {
            throw new AssertionError(message.formatted(arguments));
        }
    }

    /** Fails unless the text contains every part. */
    public static void contains(String text, String... parts) {
        for (String part : parts) {
            that(text.contains(part), "\"%s\" is missing in:%n%s", part, text);
        }
    }
}
