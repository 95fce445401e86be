package dev.granary.keyed.command;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Compares {@link StringCommands}, with {@link SetOptions}, with what a real redis-server replied. */
class StringCommandsTest {

    static List<Recording.Section> sections() {
        return Recording.of("strings.txt");
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("sections")
    void run_recordedRequests_repliesAsRedisDid(Recording.Section section) {
        section.check();
    }
}
