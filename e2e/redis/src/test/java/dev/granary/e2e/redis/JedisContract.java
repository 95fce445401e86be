package dev.granary.e2e.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Response;
import redis.clients.jedis.ScanIteration;
import redis.clients.jedis.Transaction;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.params.SetParams;

/** What programs do with Jedis. */
abstract class JedisContract {

    private final String prefix = Server.prefix("jedis");

    /** Returns the client. */
    abstract UnifiedJedis client();

    /** Returns a connection to the node that has a key, for transactions that watch. */
    abstract Connection connectionOf(String key);

    @Test
    void strings_severalCommands_changeTheValue() {
        byte[] binary = new byte[256];
        IntStream.range(0, 256).forEach(at -> binary[at] = (byte) at);
        String key = prefix + "s";
        assertThat(client().set(bytes(key), binary)).isEqualTo("OK");
        assertThat(client().get(bytes(key))).isEqualTo(binary);
        assertThat(client().set(key, "x", SetParams.setParams().nx())).isNull();
        assertThat(client().set(key, "10", SetParams.setParams().xx())).isEqualTo("OK");
        assertThat(client().incrBy(key, 32)).isEqualTo(42);
        assertThat(client().append(key, "!")).isEqualTo(3);
        assertThat(client().getrange(key, 1, -1)).isEqualTo("2!");
        assertThat(client().get(prefix + "none")).isNull();
        String large = "granary".repeat(150_000);
        assertThat(client().set(key, large)).isEqualTo("OK");
        assertThat(client().get(key)).isEqualTo(large);
        assertThat(client().del(key)).isEqualTo(1);
    }

    @Test
    void manyKeys_ofOneSlot_areWrittenAndRead() {
        String[] keys =
                IntStream.range(0, 100).mapToObj(at -> prefix + "{m}:" + at).toArray(String[]::new);
        String[] pairs = IntStream.range(0, 200)
                .mapToObj(at -> at % 2 == 0 ? keys[at / 2] : "value " + at / 2)
                .toArray(String[]::new);
        assertThat(client().mset(pairs)).isEqualTo("OK");
        assertThat(client().mget(keys).getLast()).isEqualTo("value 99");
        assertThat(client().exists(keys)).isEqualTo(100);
        assertThat(client().unlink(keys)).isEqualTo(100);
    }

    @Test
    void expiry_passes_removesTheKey() throws InterruptedException {
        String key = prefix + "e";
        assertThat(client().set(key, "x", SetParams.setParams().px(200))).isEqualTo("OK");
        assertThat(client().pttl(key)).isBetween(1L, 200L);
        Thread.sleep(300);
        assertThat(client().get(key)).isNull();
        assertThat(client().set(key, "y", SetParams.setParams().ex(100))).isEqualTo("OK");
        assertThat(client().ttl(key)).isBetween(98L, 100L);
        assertThat(client().persist(key)).isEqualTo(1);
        assertThat(client().ttl(key)).isEqualTo(-1);
        long moment = System.currentTimeMillis() + 50_000;
        assertThat(client().pexpireAt(key, moment)).isEqualTo(1);
        assertThat(client().pexpireTime(key)).isEqualTo(moment);
        assertThat(client().getDel(key)).isEqualTo("y");
    }

    @Test
    void hashes_severalCommands_changeTheFields() {
        String key = prefix + "h";
        assertThat(client().hset(key, Map.of("a", "1", "b", "two"))).isEqualTo(2);
        assertThat(client().hgetAll(key)).isEqualTo(Map.of("a", "1", "b", "two"));
        assertThat(client().hincrBy(key, "a", 41)).isEqualTo(42);
        assertThat(client().hmget(key, "a", "none")).containsExactly("42", null);
        assertThat(client().hdel(key, "b")).isEqualTo(1);
        assertThat(client().hlen(key)).isEqualTo(1);
        assertThat(client().del(key)).isEqualTo(1);
    }

    @Test
    void pipeline_ofThousandWritesAndReads_answersInOrder() {
        List<Response<String>> read = new ArrayList<>();
        try (AbstractPipeline pipeline = client().pipelined()) {
            for (int at = 0; at < 1000; at++) {
                pipeline.set(prefix + "p:" + at, Integer.toString(at));
                read.add(pipeline.get(prefix + "p:" + at));
            }
        }
        for (int at = 0; at < 1000; at++) {
            assertThat(read.get(at).get()).isEqualTo(Integer.toString(at));
            assertThat(client().del(prefix + "p:" + at)).isEqualTo(1);
        }
    }

    @Test
    void transaction_watchedKeyHasChanged_isDiscarded() {
        String key = prefix + "{w}";
        client().set(key, "1");
        try (Connection connection = connectionOf(key);
                Transaction transaction = new Transaction(connection, false)) {
            transaction.watch(key);
            transaction.multi();
            transaction.set(key, "2");
            transaction.incr(key);
            assertThat(transaction.exec()).containsExactly("OK", 3L);
            transaction.watch(key);
            client().set(key, "10");
            transaction.multi();
            transaction.set(key, "4");
            assertThat(transaction.exec()).isNull();
        }
        assertThat(client().getDel(key)).isEqualTo("10");
    }

    @Test
    void scan_thousandKeys_findsAll() {
        Set<String> keys = new HashSet<>();
        IntStream.range(0, 1000).forEach(at -> keys.add(prefix + "scan:" + at));
        keys.forEach(key -> client().set(key, "x"));
        Set<String> found = new HashSet<>();
        ScanIteration scan = client().scanIteration(100, prefix + "scan:*");
        while (!scan.isIterationCompleted()) {
            found.addAll(scan.nextBatchList());
        }
        assertThat(found).isEqualTo(keys);
        keys.forEach(client()::del);
    }

    @Test
    void error_ofOneCommand_leavesTheConnectionUsable() {
        String key = prefix + "x";
        client().hset(key, "a", "1");
        assertThatThrownBy(() -> client().incr(key))
                .isInstanceOf(JedisDataException.class)
                .hasMessageContaining("WRONGTYPE");
        assertThat(client().hget(key, "a")).isEqualTo("1");
        client().del(key);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }
}
