package dev.granary.tools.bench.operator;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.granary.cli.base.UserException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@link OperatorProcess} with a program in the operator's place, which tells its environment and has metrics. */
class OperatorProcessTest {
    private static final String OPTIONS = "-Xmx77m -XX:+UseSerialGC";

    @TempDir
    private Path project = Path.of("");

    private Path folder = Path.of("");

    /** The program. */
    static final class Program {
        public static void main(String[] arguments) throws IOException {
            Map<String, String> environment = new TreeMap<>(System.getenv());
            environment.forEach((name, value) -> System.out.println(name + "=" + value));
            HttpServer server = HttpServer.create(
                    new InetSocketAddress(
                            environment.getOrDefault("GRANARY_HTTP_HOST", ""),
                            Integer.parseInt(environment.getOrDefault("GRANARY_HTTP_PORT", ""))),
                    0);
            server.createContext("/metrics", exchange -> {
                byte[] text = """
                        # HELP granary_operator_reconciles_total reconciles
                        granary_operator_reconciles_total{kind="Granary",outcome="ok",} 41.0
                        granary_operator_reconciles_total{kind="GranaryBackup",outcome="error",} 1.0
                        granary_operator_reconciles_created{kind="Granary",} 1.7E9
                        granary_operator_leader 1.0
                        """.getBytes(UTF_8);
                exchange.sendResponseHeaders(200, text.length);
                exchange.getResponseBody().write(text);
                exchange.close();
            });
            server.start();
        }
    }

    @BeforeEach
    void lookLikeTheRepository() throws IOException {
        folder = Files.createDirectories(project.resolve("files"));
        Path program = project.resolve("operator/target/dist/bin/granary-operator");
        Files.createDirectories(program.getParent());
        Files.writeString(
                program,
                "#!/bin/sh\nexec \"$JAVA_HOME/bin/java\" -Xmx32m -XX:+UseSerialGC -cp '"
                        + System.getProperty("java.class.path") + "' '" + Program.class.getName() + "'\n");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path values = project.resolve("helm/granary/values.yaml");
        Files.createDirectories(values.getParent());
        Files.writeString(values, "a: b\njvmOptions: \"" + OPTIONS + "\"\nc: d\n");
    }

    private OperatorProcess start() throws IOException, InterruptedException {
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        return OperatorProcess.start(project, folder, project.resolve("kubeconfig"), "granary-system", port);
    }

    @Test
    void start_program_hasTheOptionsOfTheChartAndIsCountedAndEnds() throws Exception {
        long reconciles;
        long resident;
        long peak;
        try (OperatorProcess operator = start()) {
            reconciles = operator.reconciles();
            resident = operator.memoryBytes("VmRSS");
            peak = operator.memoryBytes("VmHWM");
            assertThatThrownBy(() -> operator.memoryBytes("VmNothing"))
                    .isInstanceOf(UserException.class)
                    .hasMessageContaining("VmNothing");
        }
        assertThat(reconciles).as("failed ones included, other metrics not").isEqualTo(42);
        assertThat(resident).isBetween(1L << 20, 1L << 30);
        assertThat(peak).isGreaterThanOrEqualTo(resident);
        assertThat(Files.readAllLines(folder.resolve("operator.log")))
                .contains(
                        "GRANARY_JVM_OPTIONS=" + OPTIONS,
                        "KUBECONFIG=" + project.resolve("kubeconfig"),
                        "GRANARY_OPERATOR_LEASE_NAMESPACE=granary-system");
        assertThat(ProcessHandle.current().children().filter(ProcessHandle::isAlive))
                .noneMatch(child -> child.info().commandLine().orElse("").contains(Program.class.getName()));
    }

    @Test
    void start_operatorIsNotBuilt_saysHow() throws Exception {
        Files.delete(project.resolve("operator/target/dist/bin/granary-operator"));
        assertThatThrownBy(this::start).isInstanceOf(UserException.class).hasMessageContaining("mvn -pl operator");
    }

    @Test
    void start_chartHasNoOptions_saysWhichFile() throws Exception {
        Path values = project.resolve("helm/granary/values.yaml");
        Files.writeString(values, "jvmOptions:\n");
        assertThatThrownBy(this::start)
                .isInstanceOf(UserException.class)
                .hasMessageContaining(values + " has no jvmOptions");
    }
}
