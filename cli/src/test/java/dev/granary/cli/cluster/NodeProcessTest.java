package dev.granary.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.cli.cluster.ClusterState.NodeState;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

class NodeProcessTest {

    private static NodeState stateOf(ProcessHandle handle) {
        long startMillis =
                handle.info().startInstant().map(Instant::toEpochMilli).orElseThrow();
        return new NodeState("storage-0", "storage-node", handle.pid(), startMillis, 1, 2, 0);
    }

    @Test
    void find_processRuns_isFound() {
        NodeState own = stateOf(ProcessHandle.current());
        assertThat(NodeProcess.find(own)).contains(ProcessHandle.current());
        assertThat(NodeProcess.find(new NodeState(own.name(), own.role(), own.pid(), own.startMillis() - 1, 1, 2, 0)))
                .as("another process had this pid")
                .isEmpty();
    }

    /** The parent becomes a program that waits for no child. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void find_processHasEndedAndNobodyHasReapedIt_isNotFound() throws IOException, InterruptedException {
        Process parent = new ProcessBuilder("sh", "-c", "sleep 60 & echo $!; exec sleep 60").start();
        try (BufferedReader out = parent.inputReader(StandardCharsets.UTF_8)) {
            ProcessHandle child =
                    ProcessHandle.of(Long.parseLong(out.readLine().strip())).orElseThrow();
            NodeState state = stateOf(child);
            Path name = Path.of("/proc", String.valueOf(parent.pid()), "comm");
            while (!Files.readString(name).startsWith("sleep")) {
                Thread.sleep(5); // as long as it is the shell, it may wait for the child
            }
            child.destroyForcibly();
            Path status = Path.of("/proc", String.valueOf(child.pid()), "status");
            while (!Files.readString(status).contains("State:\tZ")) {
                Thread.sleep(5);
            }
            assertThat(NodeProcess.find(state)).isEmpty();
        } finally {
            parent.destroyForcibly().waitFor();
        }
    }
}
