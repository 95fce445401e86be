package dev.granary.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.env.Loop;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NodeRuntimeTest {

    @TempDir
    Path directory = Path.of("");

    private final BlockingQueue<String> ended = new LinkedBlockingQueue<>();

    @Test
    void identity_secondStart_keepsDiskIdAndChangesIncarnation() throws IOException {
        NodeIdentity first = openIdentity();
        NodeIdentity second = openIdentity();

        assertThat(second.diskId()).isEqualTo(first.diskId());
        assertThat(first.diskId().version()).isEqualTo(4);
        assertThat(first.diskId().variant()).isEqualTo(2);
        assertThat(second.incarnation()).isNotEqualTo(first.incarnation()).isNotZero();
    }

    @Test
    void identity_damagedFile_isRefusedAndKept() throws IOException {
        Path file = directory.resolve("identity");
        for (String damaged :
                new String[] {"", "granary-identity 1\n", "granary-identity 2\ndiskId=x\n", "diskId=1\n"}) {
            Files.writeString(file, damaged);

            assertThatThrownBy(this::openIdentity)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("'identity'");
            assertThat(Files.readString(file)).isEqualTo(damaged);
        }
    }

    @Test
    void open_directoryInUse_isRefused() throws IOException {
        try (NodeRuntime runtime = open("one")) {
            assertThat(runtime.environment().clock().nanoTime()).isNotZero();
            assertThatThrownBy(() -> open("two"))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(directory.toString());
        }
    }

    @Test
    void portsFile_whileOpen_isThereAndGoesWithTheProcess() throws IOException {
        Path file = directory.resolve("ports.json");
        Files.writeString(file, "left by a killed process");
        try (NodeRuntime runtime = open("one")) {
            assertThat(file).doesNotExist();
            PortsFile.write(runtime.environment().disk(), 7500, 7501);
            assertThat(file)
                    .hasContent("{\"listenPort\":7500,\"httpPort\":7501,\"pid\":"
                            + ProcessHandle.current().pid() + "}");
        }
        assertThat(file).doesNotExist();
    }

    @Test
    void task_throwsAnErrorOfTheVirtualMachine_endsTheProcess() throws Exception {
        try (NodeRuntime runtime = open("one")) {
            runtime.environment().scheduler().execute(() -> {
                throw new IllegalStateException("planted, and no reason to end");
            });
            runtime.environment().scheduler().execute(() -> {
                throw new OutOfMemoryError("planted");
            });

            assertThat(ended.poll(30, TimeUnit.SECONDS)).contains("OutOfMemoryError: planted");
            assertThat(ended).isEmpty();
        }
    }

    @Test
    void loop_throwsAnErrorOfTheVirtualMachine_endsTheProcess() throws Exception {
        try (NodeRuntime runtime = open("one")) {
            Loop.every(runtime.environment().scheduler(), "planted", 3_600_000_000_000L, () -> {
                        throw new OutOfMemoryError("planted");
                    })
                    .beginAfter(0);

            assertThat(ended.poll(30, TimeUnit.SECONDS)).contains("OutOfMemoryError: planted");
        }
    }

    private NodeRuntime open(String threadName) throws IOException {
        return NodeRuntime.open(directory, threadName, (reason, cause) -> ended.add(reason));
    }

    private NodeIdentity openIdentity() throws IOException {
        try (NodeRuntime runtime = open("test")) {
            return NodeIdentity.open(runtime.environment());
        }
    }
}
