package dev.granary.resp.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.resp.ReplyText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What a redis-server 7.0.15 tells of the commands in our table by COMMAND INFO: a line for each. */
public final class CommandGolden {

    private static final Path FILE = Path.of("src/test/resources/golden/command-info.txt");

    private CommandGolden() {}

    /** Compares replies with the file. */
    public static void compare(String replies) throws IOException {
        assertThat(ReplyText.all(replies)).containsExactlyElementsOf(Files.readAllLines(FILE));
    }

    /** The same; with {@code -Dgranary.golden.write=true} it writes them into the file first. */
    public static void compareOrWrite(String replies) throws IOException {
        if (Boolean.getBoolean("granary.golden.write")) {
            Files.writeString(FILE, String.join("\n", ReplyText.all(replies)) + "\n");
        }
        compare(replies);
    }
}
