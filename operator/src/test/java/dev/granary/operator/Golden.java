package dev.granary.operator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Committed files that a test compares with the output of the code. {@code -Dgranary.golden.write=true} overwrites
 * them.
 */
public final class Golden {
    private static final boolean WRITE = Boolean.getBoolean("granary.golden.write");

    private Golden() {}

    /** The root of the repository; tests run in the module's folder. */
    public static Path repository() {
        return Path.of("..").toAbsolutePath().normalize();
    }

    /** Compares a text with a file, or writes the file. */
    public static void check(Path file, String text) {
        try {
            if (WRITE) {
                Files.createDirectories(file.getParent());
                Files.writeString(file, text);
            }
            assertThat(file)
                    .as(
                            "a file under version control; if the change is meant, run the test with -Dgranary.golden.write=true")
                    .exists()
                    .hasContent(text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
