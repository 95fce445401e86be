package dev.granary.cli.command;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.cli.KeepingCluster;
import dev.granary.cli.KeptKeys;
import dev.granary.cli.base.Json;
import dev.granary.cli.keys.RedisCopy;
import dev.granary.resp.RequestDecoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@link SetCommand}, {@link GetCommand}, {@link DeleteCommand} and {@link LoadCommand} against a cluster with keys;
 * {@link RedisCopy} from a server of the Redis protocol.
 */
class KeyCommandsTest {

    private static final String CID = "0x8000000000000001";

    private final KeepingCluster cluster = new KeepingCluster();

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    @AfterEach
    void close() {
        cluster.close();
    }

    private Run run(String... arguments) {
        List<String> all = new ArrayList<>(Arrays.asList(arguments));
        all.addAll(List.of("--seeds", cluster.seed()));
        return Run.of(all.toArray(String[]::new));
    }

    private Run done(String... arguments) {
        Run run = run(arguments);
        assertThat(run.code()).as(run.error()).isZero();
        return run;
    }

    private void refused(String why, String... arguments) {
        Run run = run(arguments);
        assertThat(run.code()).as(run.error()).isEqualTo(1);
        assertThat(run.error()).contains(why);
        assertThat(run.output()).isEmpty();
    }

    @Test
    void set_key_isPrintedByGet() {
        done("set", "greeting", "grüß dich");
        assertThat(done("get", "greeting").output()).isEqualTo("grüß dich" + System.lineSeparator());
        assertThat(done("get", "greeting", "--hex").output().strip()).startsWith("6772");
        assertThat(cluster.keys.ask("PTTL", "greeting")).isEqualTo(":-1");
        done("set", "greeting", "x", "--expire", "90s");
        assertThat(Long.parseLong(cluster.keys.ask("PTTL", "greeting").substring(1)))
                .isBetween(60_000L, 90_000L);
    }

    @Test
    void set_conditionDoesNotHold_failsAndChangesNothing() {
        refused("there is no key 'a'", "set", "a", "1", "--if-present");
        done("set", "a", "1", "--if-absent", "--expire", "1h");
        refused("there is the key 'a' already", "set", "a", "2", "--if-absent");
        done("set", "a", "3", "--if-present");
        assertThat(cluster.keys.ask("GET", "a")).isEqualTo("$1 3");
        refused("exclude each other", "set", "a", "4", "--if-absent", "--if-present");
    }

    @Test
    void get_chunksAndKeys_areToldApartByTheirForm() {
        cluster.put(0x8000_0000_0000_0001L, "chunk".getBytes(UTF_8));
        done("set", "a", "key");
        assertThat(done("get", "a", CID).output().lines()).containsExactly("key", "chunk");
        refused("looks like the CID of a chunk", "set", CID, "x");
        done("set", CID, "a key", "--key");
        assertThat(done("get", "--key", CID).output().strip()).isEqualTo("a key");
        assertThat(done("get", CID).output().strip()).isEqualTo("chunk");
        refused("there is no key 'none'", "get", "none");
    }

    @ParameterizedTest
    @ValueSource(strings = {"get", "delete"})
    void command_malformedCid_isWrongUsage(String command) {
        Run run = run(command, "0x12gh");
        assertThat(run.code()).isEqualTo(2);
        assertThat(run.error()).contains("which is no hexadecimal digit. If it is a key, say --key.");
        assertThat(run.output()).isEmpty();
    }

    @Test
    void get_asJson_hasTheBytesAndTheTextIfThereIsOne() {
        done("set", "a", "1");
        cluster.put(0x8000_0000_0000_0001L, new byte[] {-1});
        List<String> lines = done("get", "--json", "a", CID).output().lines().toList();
        assertThat(lines)
                .containsExactly(
                        "{\"key\":\"a\",\"hex\":\"31\",\"text\":\"1\"}", "{\"cid\":\"" + CID + "\",\"hex\":\"ff\"}");
    }

    @Test
    void delete_keys_deletesThoseThatThereAreAndFailsForOthers() {
        done("set", "a", "1");
        done("set", "b", "1");
        done("delete", "a");
        refused("there is no key 'a'", "delete", "a", "b");
        assertThat(cluster.keys.ask("DBSIZE")).isEqualTo(":0");
    }

    @Test
    void load_csv_setsItsKeys() throws IOException {
        Path file = Files.writeString(folder.resolve("users.CSV"), "id,name\n1,\"Ada, Countess\"\n2,Bob\n2,Barbara\n");
        Run run = done("load", "--keys", file.toString(), "--header", "--expire", "1h", "--json");
        JsonNode figures = Json.parse("figures", run.output());
        assertThat(figures.path("keys").asInt()).isEqualTo(2);
        assertThat(run.error()).contains("set 2 keys");
        assertThat(cluster.keys.ask("GET", "1")).isEqualTo("$13 Ada, Countess");
        assertThat(cluster.keys.ask("GET", "2")).isEqualTo("$7 Barbara");
        assertThat(Long.parseLong(cluster.keys.ask("TTL", "2").substring(1))).isBetween(3_000L, 3_600L);
    }

    @Test
    void load_manyLines_areSetInBatches() throws IOException {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 45_000; i++) {
            text.append("key").append(i).append('\t').append(i).append('\n');
        }
        Path file = Files.writeString(folder.resolve("many"), text);
        done("load", "--keys", file.toString());
        assertThat(cluster.keys.ask("DBSIZE")).isEqualTo(":45000");
        assertThat(cluster.keys.ask("GET", "key44999")).isEqualTo("$5 44999");
    }

    @Test
    void load_wrongLineOrNoFile_saysWhere() throws IOException {
        Path file = Files.writeString(folder.resolve("keys.tsv"), "a\t1\nb 2\n");
        refused("line 2 of " + file + " has no tab", "load", "--keys", file.toString());
        refused("there is no file nowhere", "load", "--keys", "nowhere");
        refused("say what to load", "load");
        refused("say what to load", "load", "debian-packages", "--keys", "x");
        refused("--expire go with --keys", "load", "debian-packages", "--expire", "1h");
        refused("--match goes with", "load", "--keys", file.toString(), "--match", "a*");
    }

    @Test
    void load_fromRedis_copiesStringsAndHashesWithTheirLifetimes() throws Exception {
        KeptKeys source = new KeptKeys();
        for (int i = 0; i < 600; i++) {
            source.ask("SET", "user:" + i, "name " + i);
        }
        source.ask("SET", "session", "x", "PX", "500000");
        source.ask("HSET", "user:hash", "name", "Ada", "born", "1815");
        source.ask("PEXPIRE", "user:hash", "700000");
        cluster.keys.ask("HSET", "user:hash", "old", "x");
        cluster.keys.ask("SET", "other", "stays");
        try (Server server = new Server(source)) {
            Run run = done("load", "--from-redis", server.address(), "--json");
            assertThat(Json.parse("figures", run.output()).path("keys").asInt()).isEqualTo(602);
        }
        assertThat(cluster.keys.ask("DBSIZE")).isEqualTo(":603");
        assertThat(cluster.keys.ask("GET", "user:599")).isEqualTo("$8 name 599");
        assertThat(cluster.keys.ask("HGETALL", "user:hash")).isEqualTo("*4 $4 name $3 Ada $4 born $4 1815");
        assertThat(cluster.keys.ask("PTTL", "user:1")).isEqualTo(":-1");
        assertThat(Long.parseLong(cluster.keys.ask("PTTL", "session").substring(1)))
                .isBetween(300_000L, 500_000L);
        assertThat(Long.parseLong(cluster.keys.ask("PTTL", "user:hash").substring(1)))
                .isBetween(500_001L, 700_000L);
    }

    @Test
    void load_fromRedisWithPattern_copiesWhatMatches() throws Exception {
        KeptKeys source = new KeptKeys();
        source.ask("SET", "user:1", "x");
        source.ask("SET", "other", "x");
        try (Server server = new Server(source)) {
            done("load", "--from-redis", server.address(), "--match", "user:*");
        }
        assertThat(cluster.keys.ask("KEYS", "*")).isEqualTo("*1 $6 user:1");
    }

    @Test
    void load_fromNobody_saysSo() {
        refused("there is no Redis at 127.0.0.1:1", "load", "--from-redis", "127.0.0.1:1");
        refused("(of a Redis, usually port 6379)", "load", "--from-redis", "nowhere");
    }

    /** A server of the Redis protocol for one client after the other. */
    private static final class Server implements AutoCloseable {

        private final ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        private final KeptKeys keys;
        private final Thread thread = new Thread(this::serve, "redis");

        Server(KeptKeys keys) throws IOException {
            this.keys = keys;
            thread.start();
        }

        String address() {
            return "127.0.0.1:" + listening.getLocalPort();
        }

        private void serve() {
            byte[] bytes = new byte[1 << 16];
            try (Socket client = listening.accept();
                    RequestDecoder decoder = KeptKeys.decoder()) {
                for (int read; (read = client.getInputStream().read(bytes)) > 0; ) {
                    decoder.add(Unpooled.copiedBuffer(bytes, 0, read));
                    ByteBuf replies = keys.answer(decoder);
                    replies.readBytes(client.getOutputStream(), replies.readableBytes());
                }
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public void close() throws Exception {
            thread.join();
            listening.close();
        }
    }
}
