package dev.granary.storage.keyed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.memory.MemoryStatistics;
import dev.granary.storage.keyed.GroupReply.Outcome;
import dev.granary.storage.keyed.KeyedPeer.Told;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@link KeyEviction} at a storage peer that calls ask for more than fits. */
class KeyEvictionTest {

    private static final String OOM = "-OOM command not allowed when used memory > 'maxmemory'.";

    private final KeyedPeer peer = new KeyedPeer();
    private final KeyedLimits limits = peer.node.keyed;

    /** As super-peers have it. */
    @BeforeEach
    void enoughLids() {
        peer.groups.firstLimit = 1 << 16;
    }

    @AfterEach
    void close() {
        peer.close();
    }

    private void limit(long bytes, EvictionPolicy policy) {
        limits.wantedBytes(bytes);
        limits.policy(policy);
    }

    /** Carries out many requests, some in each call. Returns how many were refused for want of memory. */
    private int fill(int from, int to, IntFunction<String> request) {
        int refused = 0;
        for (int i = from; i < to; i += 20) {
            String[] some =
                    IntStream.range(i, Math.min(to, i + 20)).mapToObj(request).toArray(String[]::new);
            String replies = peer.ask(some);
            peer.node.advance(2 * KeyedPeer.MILLI);
            refused += (int) Arrays.stream(replies.split("(?=[-+])"))
                    .filter(reply -> reply.startsWith("-OOM"))
                    .count();
            if (limits.wantedBytes() != 0) {
                assertThat(peer.keyed().usedBytes()).isLessThanOrEqualTo(limits.wantedBytes());
            }
        }
        return refused;
    }

    private static String set(int i) {
        return "SET {g}key" + i + " " + "v".repeat(1 + i % 200);
    }

    @Test
    void change_memoryIsUsedUp_otherKeysMakeWay() {
        limit(200_000, EvictionPolicy.ALLKEYS_LRU);
        peer.ready();
        assertThat(fill(0, 6_000, KeyEvictionTest::set)).isZero();
        assertThat(peer.keyed().evictedKeys()).isGreaterThan(3_000);
        assertThat(peer.keyed().keys() + peer.keyed().evictedKeys()).isEqualTo(6_000);
        assertThat(peer.keyed().usedBytes()).isGreaterThan(150_000);
        assertThat(peer.ask("GET {g}key5999")).endsWith("v");

        // In the background a part is kept free.
        peer.node.world.runFor(KeyedPeer.SECOND);
        assertThat(peer.keyed().usedBytes()).isLessThanOrEqualTo(200_000 - 200_000 / 64);
        limits.wantedBytes(100_000);
        peer.node.world.runFor(KeyedPeer.SECOND);
        assertThat(peer.keyed().usedBytes()).isBetween(80_000L, 100_000L);
    }

    @Test
    void change_keysThatAreWanted_stayWhileOthersPassThrough() {
        limit(200_000, EvictionPolicy.ALLKEYS_LFU);
        peer.ready();
        fill(0, 500, i -> "SET {g}wanted" + i + " x");
        for (int round = 0; round < 10; round++) {
            fill(0, 500, i -> "GET {g}wanted" + i);
            fill(round * 1_000, round * 1_000 + 1_000, KeyEvictionTest::set);
        }
        String[] exists =
                IntStream.range(0, 500).mapToObj(i -> "EXISTS {g}wanted" + i).toArray(String[]::new);
        assertThat(peer.ask(exists).split(":1", -1)).hasSizeGreaterThan(480);
        assertThat(peer.ask("OBJECT FREQ {g}wanted1", "OBJECT IDLETIME {g}wanted1"))
                .startsWith("-ERR access frequency not tracked by Granary -ERR An LFU maxmemory policy is selected");
    }

    @Test
    void change_noeviction_isRefusedAndNothingGoes() {
        limit(50_000, EvictionPolicy.NOEVICTION);
        peer.ready();
        assertThat(fill(0, 2_000, KeyEvictionTest::set)).isGreaterThan(1_000);
        assertThat(peer.keyed().evictedKeys()).isZero();
        assertThat(peer.ask("SET {g}key1 " + "v".repeat(5_000))).isEqualTo(OOM);
        assertThat(peer.ask("GET {g}key1", "DEL {g}key1", "SET {g}a 1")).isEqualTo("$2 vv :1 +OK");
        limits.policy(EvictionPolicy.ALLKEYS_RANDOM);
        assertThat(peer.ask("SET {g}key1 " + "v".repeat(5_000))).isEqualTo("+OK");
    }

    @Test
    void change_volatile_onlyKeysThatExpireMakeWay() {
        limit(100_000, EvictionPolicy.VOLATILE_TTL);
        peer.ready();
        assertThat(fill(0, 100, i -> "SET {g}stays" + i + " x")).isZero();
        assertThat(fill(0, 3_000, i -> set(i) + " EX " + (10_000 + i))).isZero();
        assertThat(peer.keyed().evictedKeys()).isGreaterThan(1_000);
        assertThat(peer.keyed().keys() - peer.keyed().expiringKeys()).isEqualTo(100);
        assertThat(fill(3_000, 6_000, KeyEvictionTest::set)).isPositive();
        assertThat(peer.keyed().expiringKeys()).isLessThan(20);
        assertThat(peer.ask("EXISTS {g}stays7")).isEqualTo(":1");
    }

    @Test
    void change_largeValueAmongSmallOnes_waitsUntilEnoughHaveMadeWay() {
        limit(400_000, EvictionPolicy.ALLKEYS_LRU);
        peer.ready();
        fill(0, 6_000, i -> "SET {g}key" + i + " small");
        assertThat(peer.ask("SET {g}large " + "v".repeat(120_000))).isEqualTo("+OK");
        assertThat(peer.keyed().usedBytes()).isLessThanOrEqualTo(400_000);
        // What a command makes larger than its request says, as well.
        assertThat(peer.ask("COPY {g}large {g}other")).isEqualTo(":1");
        assertThat(peer.ask("SETRANGE {g}more 200000 x")).isEqualTo(":200001");
        assertThat(peer.keyed().usedBytes()).isLessThanOrEqualTo(400_000);
        Told tooLarge = peer.tell("SET {g}large " + "v".repeat(450_000));
        assertThat(tooLarge).isEqualTo(new Told(Outcome.DONE, OOM));
    }

    @Test
    void change_chunkMemoryIsFull_keysMakeWayAndChunksStay() {
        limit(0, EvictionPolicy.ALLKEYS_LRU);
        peer.ready();
        byte[] value = new byte[1_000];
        long chunk = peer.node.memory().create(MemorySegment.ofArray(value), 0, value.length);
        // Single changes wait for blocks, of which so small a memory has few that are free in one piece.
        for (int i = 0; i < 24_000; i++) {
            assertThat(peer.ask("SET {g}key" + i + " " + "v".repeat(150 + i % 100)))
                    .isEqualTo("+OK");
        }
        assertThat(peer.keyed().evictedKeys()).isGreaterThan(1_000);
        assertThat(peer.node.memory().sizeOf(chunk)).isEqualTo(1_000);
        peer.node.world.runFor(KeyedPeer.SECOND);
        MemoryStatistics memory = peer.node.memory().statistics();
        assertThat(memory.usedBytes()).isLessThan(memory.capacityBytes() / 6 * 5);
    }
}
