package dev.granary.e2e.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.LettuceFutures;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanIterator;
import io.lettuce.core.SetArgs;
import io.lettuce.core.TransactionResult;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What programs do with Lettuce. */
abstract class LettuceContract {

    private final String prefix = Server.prefix("lettuce");

    /** Returns the commands that wait for their replies. */
    abstract RedisClusterCommands<String, String> commands();

    /** Returns the commands that do not wait. */
    abstract RedisClusterAsyncCommands<String, String> async();

    /** Returns the commands of a connection to the node that has a key, for transactions. */
    abstract RedisCommands<String, String> nodeOf(String key);

    @Test
    void ping_newConnection_answers() {
        assertThat(commands().ping()).isEqualTo("PONG");
        assertThat(commands().info("server")).contains("redis_version:");
    }

    @Test
    void strings_severalCommands_changeTheValue() {
        String key = prefix + "s";
        assertThat(commands().set(key, "ä\0\r\n")).isEqualTo("OK");
        assertThat(commands().get(key)).isEqualTo("ä\0\r\n");
        assertThat(commands().set(key, "x", SetArgs.Builder.nx())).isNull();
        assertThat(commands().set(key, "10", SetArgs.Builder.xx())).isEqualTo("OK");
        assertThat(commands().incrby(key, 32)).isEqualTo(42);
        assertThat(commands().append(key, "!")).isEqualTo(3);
        assertThat(commands().getrange(key, 1, -1)).isEqualTo("2!");
        assertThat(commands().get(prefix + "none")).isNull();
        String large = "granary".repeat(150_000);
        assertThat(commands().set(key, large)).isEqualTo("OK");
        assertThat(commands().get(key)).isEqualTo(large);
        assertThat(commands().del(key)).isEqualTo(1);
    }

    @Test
    void manyKeys_ofManySlots_areWrittenAndRead() {
        Map<String, String> pairs = new HashMap<>();
        IntStream.range(0, 100).forEach(at -> pairs.put(prefix + at, Integer.toString(at)));
        String[] keys = pairs.keySet().toArray(String[]::new);
        assertThat(commands().mset(pairs)).isEqualTo("OK");
        Map<String, String> read = new HashMap<>();
        commands().mget(keys).forEach(pair -> read.put(pair.getKey(), pair.getValue()));
        assertThat(read).isEqualTo(pairs);
        assertThat(commands().exists(keys)).isEqualTo(100);
        assertThat(commands().unlink(keys)).isEqualTo(100);
    }

    @Test
    void expiry_passes_removesTheKey() throws InterruptedException {
        String key = prefix + "e";
        assertThat(commands().set(key, "x", SetArgs.Builder.px(200))).isEqualTo("OK");
        assertThat(commands().pttl(key)).isBetween(1L, 200L);
        Thread.sleep(300);
        assertThat(commands().get(key)).isNull();
        assertThat(commands().set(key, "y", SetArgs.Builder.ex(100))).isEqualTo("OK");
        assertThat(commands().ttl(key)).isBetween(98L, 100L);
        assertThat(commands().persist(key)).isTrue();
        assertThat(commands().ttl(key)).isEqualTo(-1);
        long moment = System.currentTimeMillis() + 50_000;
        assertThat(commands().pexpireat(key, moment)).isTrue();
        assertThat(commands().pexpiretime(key)).isEqualTo(moment);
        assertThat(commands().getdel(key)).isEqualTo("y");
    }

    @Test
    void hashes_severalCommands_changeTheFields() {
        String key = prefix + "h";
        assertThat(commands().hset(key, Map.of("a", "1", "b", "two"))).isEqualTo(2);
        assertThat(commands().hgetall(key)).isEqualTo(Map.of("a", "1", "b", "two"));
        assertThat(commands().hincrby(key, "a", 41)).isEqualTo(42);
        assertThat(commands().hdel(key, "b")).isEqualTo(1);
        assertThat(commands().hlen(key)).isEqualTo(1);
        assertThat(commands().del(key)).isEqualTo(1);
    }

    @Test
    void pipeline_ofThousandWritesAndReads_answersInOrder() throws Exception {
        List<RedisFuture<?>> written = new ArrayList<>();
        List<RedisFuture<String>> read = new ArrayList<>();
        for (int at = 0; at < 1000; at++) {
            written.add(async().set(prefix + "p:" + at, Integer.toString(at)));
            read.add(async().get(prefix + "p:" + at));
        }
        assertThat(LettuceFutures.awaitAll(Duration.ofSeconds(20), read.toArray(RedisFuture[]::new)))
                .isTrue();
        for (int at = 0; at < 1000; at++) {
            assertThat(written.get(at).get(1, TimeUnit.SECONDS)).isEqualTo("OK");
            assertThat(read.get(at).get(1, TimeUnit.SECONDS)).isEqualTo(Integer.toString(at));
            assertThat(commands().del(prefix + "p:" + at)).isEqualTo(1);
        }
    }

    @Test
    void transaction_severalCommands_happenTogether() {
        String key = prefix + "{t}:1";
        String other = prefix + "{t}:2";
        RedisCommands<String, String> node = nodeOf(key);
        node.multi();
        node.set(key, "1");
        node.incr(key);
        node.set(other, "x");
        node.get(other);
        TransactionResult result = node.exec();
        assertThat(result.wasDiscarded()).isFalse();
        assertThat(result.stream().map(Object::toString)).containsExactly("OK", "2", "OK", "x");
        assertThat(commands().del(key, other)).isEqualTo(2);
    }

    @Test
    void transaction_watchedKeyHasChanged_isDiscarded() {
        String key = prefix + "{w}";
        RedisCommands<String, String> node = nodeOf(key);
        commands().set(key, "1");
        node.watch(key);
        node.multi();
        node.set(key, "2");
        assertThat(node.exec().wasDiscarded()).isFalse();
        node.watch(key);
        commands().set(key, "10");
        node.multi();
        node.set(key, "3");
        assertThat(node.exec().wasDiscarded()).isTrue();
        assertThat(commands().getdel(key)).isEqualTo("10");
    }

    @Test
    void scan_thousandKeys_findsAll() {
        Set<String> keys = new HashSet<>();
        IntStream.range(0, 1000).forEach(at -> keys.add(prefix + "scan:" + at));
        keys.forEach(key -> commands().set(key, "x"));
        Set<String> found = new HashSet<>();
        ScanIterator.scan(
                        commands(), ScanArgs.Builder.matches(prefix + "scan:*").limit(100))
                .forEachRemaining(found::add);
        assertThat(found).isEqualTo(keys);
        keys.forEach(commands()::del);
    }

    @Test
    void error_ofOneCommand_leavesTheConnectionUsable() {
        String key = prefix + "x";
        commands().hset(key, "a", "1");
        assertThatThrownBy(() -> commands().incr(key))
                .isInstanceOf(RedisCommandExecutionException.class)
                .hasMessageContaining("WRONGTYPE");
        assertThat(commands().hget(key, "a")).isEqualTo("1");
        commands().del(key);
    }
}
