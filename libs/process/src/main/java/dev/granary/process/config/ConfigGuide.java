package dev.granary.process.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Keeps the tables of the configuration guide equal to the keys. Each process has a table between two lines:
 * {@code <!-- keys of storage-node -->} and {@code <!-- end -->}. For tests of the processes.
 */
public final class ConfigGuide {

    /** A system property: when it is "true" the guide is rewritten instead of being compared. */
    public static final String UPDATE_PROPERTY = "granary.docs.update";

    private static final String END = "<!-- end -->";

    private ConfigGuide() {}

    /**
     * Compares a table of the guide with a schema.
     *
     * @throws AssertionError when table and schema differ; its message says how to rewrite the guide
     */
    public static void check(Path guide, String process, ConfigSchema schema) throws IOException {
        String text = Files.readString(guide);
        String begin = "<!-- keys of " + process + " -->\n";
        int start = text.indexOf(begin) + begin.length();
        int end = text.indexOf(END, start);
        if (start < begin.length() || end < 0) {
            throw new AssertionError(guide + " has no table between '" + begin.strip() + "' and '" + END + "'");
        }
        String right = text.substring(0, start) + schema.toMarkdown() + text.substring(end);
        if (text.equals(right)) {
            return;
        }
        if (Boolean.getBoolean(UPDATE_PROPERTY)) {
            Files.writeString(guide, right);
        } else {
            throw new AssertionError(guide + " does not show the keys of " + process
                    + " as they are: run this test with -D" + UPDATE_PROPERTY + "=true and look at the difference");
        }
    }
}
