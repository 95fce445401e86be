package dev.granary.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.cli.base.UserException;
import dev.granary.client.GranaryException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Where commands find the secret of their cluster. */
class ConnectOptionsTest {

    private static final String DOWN = """
            {"bootstrapped": true, "superPeers": 1, "storagePeers": 1, "memory": "16Mi", "port": 0, "nodes": []}
            """;

    @TempDir
    Path directory = Path.of("");

    private static ConnectOptions parse(Object... arguments) {
        String[] texts = new String[arguments.length];
        for (int i = 0; i < texts.length; i++) {
            texts[i] = arguments[i].toString();
        }
        return CommandLine.populateCommand(new ConnectOptions(), texts);
    }

    private Path localCluster() throws IOException {
        Files.writeString(directory.resolve("cluster.json"), DOWN);
        return directory;
    }

    @Test
    void secretFile_localCluster_isThatOfItsDirectory() throws IOException {
        Path secret = Files.writeString(directory.resolve("cluster.secret"), "the secret of the cluster");
        assertThat(parse("--dir", localCluster()).secretFile()).isEqualTo(secret.toAbsolutePath());
    }

    @Test
    void secretFile_localClusterWithoutASecret_isNone() throws IOException {
        assertThat(parse("--dir", localCluster()).secretFile()).isNull();
        assertThat(parse("--dir", directory.resolve("nothing")).secretFile()).isNull();
    }

    @Test
    void secretFile_named_goesBeforeThatOfTheDirectory() throws IOException {
        Files.writeString(directory.resolve("cluster.secret"), "the secret of the cluster");
        Path other = directory.resolve("other");
        assertThat(parse("--dir", localCluster(), "--secret-file", other).secretFile())
                .isEqualTo(other);
        assertThat(parse("--seeds", "127.0.0.1:9", "--secret-file", other).secretFile())
                .isEqualTo(other);
    }

    @Test
    void adminPort_namedOrNot_isThatOrTheOneOfTheSeeds() throws IOException {
        assertThat(parse("--seeds", "127.0.0.1:9").adminPort()).isZero();
        assertThat(parse("--seeds", "127.0.0.1:9", "--admin-port", "7700").adminPort())
                .isEqualTo(7700);
        assertThat(parse("--dir", localCluster()).adminPort()).isZero();
        for (String wrong : List.of("0", "65536", "-1", "admin", "")) {
            assertThatThrownBy(() -> parse("--seeds", "127.0.0.1:9", "--admin-port", wrong)
                            .administer())
                    .isInstanceOf(UserException.class)
                    .hasMessageContaining("--admin-port is '" + wrong + "'");
        }
    }

    @Test
    void administer_secretFileIsNotThere_saysSoBeforeAnybodyIsAsked() {
        ConnectOptions options = parse("--seeds", "127.0.0.1:9", "--secret-file", directory.resolve("absent"));
        assertThatThrownBy(options::administer)
                .isInstanceOf(GranaryException.class)
                .hasMessageContaining("absent")
                .hasMessageContaining("openssl rand -hex 32");
    }
}
