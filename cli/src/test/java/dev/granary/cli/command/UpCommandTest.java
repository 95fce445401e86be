package dev.granary.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The options of {@link UpCommand}, as far as they start nothing. */
class UpCommandTest {

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    private Run up(String... options) {
        String[] all = new String[options.length + 3];
        all[0] = "up";
        all[1] = "--dir";
        all[2] = directory.resolve("cluster").toString();
        System.arraycopy(options, 0, all, 3, options.length);
        return Run.of(all);
    }

    @ParameterizedTest
    @CsvSource({
        "--redis-port, 65536, allowed are 0 to 65535",
        "--redis-port, -1, allowed are 0 to 65535",
        "--port, 65536, allowed are 0 to 65535",
        "--super-peers, 10, allowed are 1 to 9",
        "--storage-peers, 0, allowed are 1 to 64",
    })
    void up_numberThatIsNotAllowed_isRefusedAndStartsNothing(String option, String value, String allowed) {
        Run run = up(option, value);
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.error()).contains(option + " is ").contains(allowed);
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void up_redisPortIsNoNumber_isRefusedByName() {
        Run run = up("--redis-port", "redis");
        assertThat(run.code()).isNotZero();
        assertThat(run.error()).contains("--redis-port").contains("redis");
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void help_namesTheRedisPortAndItsDefault() {
        Run run = Run.of("up", "--help");
        assertThat(run.code()).isZero();
        assertThat(run.output()).contains("--redis-port=PORT").contains("6379");
    }
}
