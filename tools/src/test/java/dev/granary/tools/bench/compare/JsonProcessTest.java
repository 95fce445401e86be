package dev.granary.tools.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.bench.stores.ServerReady;
import dev.granary.cli.base.UserException;
import dev.granary.tools.bench.process.JsonProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** {@link JsonProcess} with small scripts, and {@link Processors}. */
class JsonProcessTest {

    private static final long SECONDS = 20;

    static JsonProcess shell(String script) throws IOException {
        Path log = Files.createTempFile("json-process", ".txt");
        log.toFile().deleteOnExit();
        return JsonProcess.start("the script", builder(script), log);
    }

    private static ProcessBuilder builder(String script) {
        return new ProcessBuilder(new ArrayList<>(List.of("sh", "-c", script)));
    }

    @Test
    void ask_aProcessThatRepeats_givesTheObjectBack() throws IOException {
        ServerReady ready = new ServerReady("127.0.0.1:7", "1", List.of(3L), List.of());
        try (JsonProcess process = shell("cat")) {
            assertThat(process.ask(ready, ServerReady.class, SECONDS)).isEqualTo(ready);
        }
    }

    @Test
    void answer_aProcessThatHasEnded_failsWithItsLastWords() throws IOException {
        try (JsonProcess process = shell("echo no room >&2")) {
            assertThatThrownBy(() -> process.answer(Map.class, SECONDS))
                    .isInstanceOf(UserException.class)
                    .hasMessageContaining("the script has ended")
                    .hasMessageContaining("no room");
        }
    }

    @Test
    void answer_aProcessThatSaysNothing_failsAfterItsTime() throws IOException {
        try (JsonProcess process = shell("read line")) {
            assertThatThrownBy(() -> process.answer(Map.class, 0))
                    .isInstanceOf(UserException.class)
                    .hasMessageContaining("not answered");
        }
    }

    @Test
    void on_aProcessor_runsThereAlone() throws IOException {
        Path log = Files.createTempFile("json-process", ".txt");
        log.toFile().deleteOnExit();
        String script = "sed -n 's/^Cpus_allowed_list:\\t\\(.*\\)/{\"cpus\":\"\\1\"}/p' /proc/self/status; cat";
        try (JsonProcess process = JsonProcess.start("the script", Processors.on("0", builder(script)), log)) {
            assertThat(process.answer(Map.class, SECONDS).get("cpus")).isEqualTo("0");
        }
    }

    @Test
    void pin_aProcessorThatIsNotThere_isRefused() {
        assertThatThrownBy(() -> Processors.pin(ProcessHandle.current().pid(), "4095"))
                .isInstanceOf(UserException.class)
                .hasMessageContaining("processors 4095");
    }
}
