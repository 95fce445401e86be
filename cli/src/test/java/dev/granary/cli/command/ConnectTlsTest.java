package dev.granary.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.cli.base.UserException;
import dev.granary.cli.cluster.LocalTls;
import dev.granary.client.ClientTls;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Which files of TLS a command takes by its {@link ConnectOptions}. */
class ConnectTlsTest {

    @TempDir
    Path folder = Path.of("");

    /** A command that does nothing. */
    @Command
    private static final class Plain {

        @Mixin
        private ConnectOptions connect = new ConnectOptions();
    }

    private static ConnectOptions parse(String... options) {
        Plain command = new Plain();
        new CommandLine(command).parseArgs(options);
        return command.connect;
    }

    @Test
    void tls_optionsOfTheCommandLine_nameTheFiles() {
        assertThat(parse("--seeds", "a:1").tls()).isNull();
        assertThat(parse("--seeds", "a:1").tlsSettings()).isNull();
        assertThat(parse("--seeds", "a:1", "--tls", "/tls").tls()).isEqualTo(ClientTls.ofDirectory(Path.of("/tls")));
        ConnectOptions anonymous = parse("--seeds", "a:1", "--tls-ca", "/ca.pem");
        assertThat(anonymous.tls()).isEqualTo(ClientTls.ofCa(Path.of("/ca.pem")));
        assertThat(Objects.requireNonNull(anonymous.tlsSettings()).ca()).isEqualTo(Path.of("/ca.pem"));
        assertThat(Objects.requireNonNull(anonymous.tlsSettings()).certificate())
                .isNull();
    }

    @Test
    void tls_localCluster_hasTheFilesThatWereMadeForIt() throws Exception {
        String directory = folder.toString();
        assertThat(parse("--dir", directory).tls()).isNull();
        Files.createDirectories(LocalTls.clientDirectory(folder));
        Files.writeString(LocalTls.clientDirectory(folder).resolve("ca.crt"), "a CA");
        assertThat(parse("--dir", directory).tls()).isEqualTo(ClientTls.ofDirectory(LocalTls.clientDirectory(folder)));
        assertThat(parse("--dir", directory, "--tls", "/tls").tls()).isEqualTo(ClientTls.ofDirectory(Path.of("/tls")));
    }

    @Test
    void connect_fileOfTlsIsMissing_isRefusedByItsName() {
        Path nowhere = folder.resolve("ca.crt");
        ConnectOptions options = parse("--seeds", "localhost:1", "--tls-ca", nowhere.toString());
        assertThatThrownBy(options::connect)
                .isInstanceOf(UserException.class)
                .hasMessageContaining(nowhere + " does not exist");
        assertThatThrownBy(options::administer).isInstanceOf(UserException.class);
    }
}
