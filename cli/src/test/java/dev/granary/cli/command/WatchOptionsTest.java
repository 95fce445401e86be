package dev.granary.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.cli.backup.BackupProgress;
import dev.granary.cli.base.UserException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class WatchOptionsTest {

    @CommandLine.Command
    private static final class Watched {

        @CommandLine.Mixin
        private final WatchOptions watch = new WatchOptions();
    }

    private static WatchOptions options(String... arguments) {
        Watched watched = new Watched();
        new CommandLine(watched).parseArgs(arguments);
        return watched.watch;
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static String get(int port) {
        try (HttpClient http = HttpClient.newHttpClient()) {
            return http.send(
                            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/status"))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString())
                    .body();
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void watch_progressPort_tellsProgramsHowFarItIs() throws IOException {
        int port = freePort();
        Map<String, Object> outcome = options("--progress-port", Integer.toString(port))
                .watch("test", new BackupProgress(), () -> Map.of("told", get(port)));
        assertThat(String.valueOf(outcome.get("told"))).contains("\"step\":\"connecting\"");
    }

    @Test
    void watch_portThatIsNone_isRefused() {
        assertThatThrownBy(() -> options("--progress-port", "99999").watch("test", new BackupProgress(), Map::of))
                .isInstanceOf(UserException.class)
                .hasMessageContaining("--progress-port 99999");
    }
}
