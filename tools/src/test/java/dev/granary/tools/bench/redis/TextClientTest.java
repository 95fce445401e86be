package dev.granary.tools.bench.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.cli.base.UserException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@link TextClient} and {@link ServerProcess}, with a server that runs in a process of its own. */
class TextClientTest {

    @TempDir
    private Path directory = Path.of("");

    /** A server that answers some requests. The argument is its port. */
    static final class Server {
        public static void main(String[] arguments) throws IOException {
            try (ServerSocket socket =
                    new ServerSocket(Integer.parseInt(arguments[0]), 50, InetAddress.getLoopbackAddress())) {
                while (true) {
                    Socket client = socket.accept();
                    Thread.ofPlatform().daemon().start(() -> serve(client));
                }
            }
        }

        private static void serve(Socket client) {
            try (client) {
                byte[] bytes = new byte[1 << 12];
                for (int read = client.getInputStream().read(bytes);
                        read > 0;
                        read = client.getInputStream().read(bytes)) {
                    String request = new String(bytes, 0, read, StandardCharsets.US_ASCII);
                    client.getOutputStream().write(reply(request).getBytes(StandardCharsets.US_ASCII));
                }
            } catch (IOException closed) {
                // The client is done.
            }
        }

        private static String reply(String request) {
            return switch (request) {
                case "*2\r\n$4\r\nINFO\r\n$6\r\nmemory\r\n" ->
                    "$39\r\n# Memory\r\nused_memory:12\r\nmaxmemory:0\r\n\r\n";
                case "*1\r\n$4\r\nPING\r\n" -> "+PONG\r\n";
                case "stats\r\n" -> "STAT pid 7\r\nSTAT hash_bytes 524288\r\nEND\r\n";
                case "cache_memlimit 9\r\n" -> "OK\r\n";
                default -> "-ERR unknown command\r\n";
            };
        }
    }

    private ServerProcess start(int port, Class<?> main) throws IOException, InterruptedException {
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName(),
                Integer.toString(port));
        return ServerProcess.start(command, port, directory.resolve("log.txt"));
    }

    @Test
    void client_ofAServer_readsItsRepliesUntilItIsClosed() throws Exception {
        long pid;
        try (ServerProcess server = start(ServerProcess.freePort(), Server.class);
                TextClient client = new TextClient(server.address())) {
            pid = server.pid();
            assertThat(client.redis("PING")).isEqualTo("PONG");
            assertThat(client.info("memory", "used_memory")).isEqualTo("12");
            assertThatThrownBy(() -> client.info("memory", "used"))
                    .isInstanceOf(RefusedException.class)
                    .hasMessageContaining("no used");
            assertThatThrownBy(() -> client.redis("CONFIG", "SET", "maxmemory", "1"))
                    .isInstanceOf(RefusedException.class)
                    .hasMessage("CONFIG SET maxmemory 1: ERR unknown command");
            assertThat(client.statistic("stats", "hash_bytes")).isEqualTo("524288");
            assertThat(client.memcached("cache_memlimit 9")).isEqualTo("OK");
        }
        assertThat(ProcessHandle.of(pid).filter(ProcessHandle::isAlive)).isEmpty();
    }

    @Test
    void start_programThatEnds_saysWhatItPrinted() {
        assertThatThrownBy(() -> start(ServerProcess.freePort(), TextClientTest.class))
                .isInstanceOf(UserException.class)
                .hasMessageContaining("does not start")
                .hasMessageContaining("TextClientTest");
    }
}
