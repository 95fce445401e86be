package dev.granary.client.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.client.GranaryClient;
import dev.granary.client.GranaryException;
import dev.granary.client.InvalidRequestException;
import dev.granary.client.Reach;
import dev.granary.net.message.MessageType;
import dev.granary.overlay.Cid;
import dev.granary.serialization.Importable;
import dev.granary.serialization.Importer;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Reads of chunks and of what they refer to, over real sockets. A chunk here is a list of CIDs. */
@Timeout(120)
class ReachableChunksTest {

    @AutoClose
    private final SocketCluster cluster = new SocketCluster();

    @AutoClose
    private final GranaryClient client = GranaryClient.connect(cluster.options());

    /** The numbers of chunks of all gets. */
    private final List<Integer> batches = new CopyOnWriteArrayList<>();

    ReachableChunksTest() throws Exception {
        cluster.storage = request -> {
            if (request.type() == MessageType.GET) {
                batches.add(request.payload().getIntLE(request.payload().readerIndex() + Integer.BYTES));
            }
            return false;
        };
    }

    private static long cid(int number) {
        return Cid.of(SocketCluster.STORAGE_NID, 100L + number);
    }

    private void store(int number, int... references) {
        ByteBuffer value = ByteBuffer.allocate(Integer.BYTES + references.length * Long.BYTES);
        value.putInt(number);
        for (int reference : references) {
            value.putLong(reference < 0 ? Cid.NONE : cid(reference));
        }
        cluster.store(cid(number), value.array());
    }

    private static long[] references(byte[] value) {
        long[] all = new long[value.length / Long.BYTES];
        ByteBuffer.wrap(value, Integer.BYTES, value.length - Integer.BYTES)
                .asLongBuffer()
                .get(all);
        return all;
    }

    private Map<Long, byte[]> reachable(Reach reach, int... roots) {
        return client.getReachable(
                Arrays.stream(roots).mapToLong(ReachableChunksTest::cid).toArray(),
                ReachableChunksTest::references,
                reach);
    }

    @Test
    void getReachable_circlesGapsAndRepetitions_readsEachChunkOnceAStepABatch() {
        store(1, 2, 3, -1, 2);
        store(2, 4, 1);
        store(3, 4, 77);
        store(4, 5);
        store(5);

        assertThat(reachable(Reach.ofSteps(9), 1, 1).keySet()).containsExactly(cid(1), cid(2), cid(3), cid(4), cid(5));
        assertThat(batches).containsExactly(1, 2, 2, 1);
        assertThat(reachable(Reach.ofSteps(2), 1).keySet()).containsExactly(cid(1), cid(2), cid(3), cid(4));
        assertThat(reachable(Reach.ofSteps(0), 3, 77).keySet()).containsExactly(cid(3));
        assertThat(reachable(Reach.ofSteps(3))).isEmpty();
    }

    @Test
    void getReachable_randomGraphs_findsWhatAWalkInMemoryFinds() {
        SplittableRandom random = new SplittableRandom(20_261_127);
        int most = 60;
        for (int graph = 0; graph < 40; graph++) {
            Map<Integer, int[]> edges = new HashMap<>();
            for (int number = 0; number < most; number++) {
                int[] to = random.ints(random.nextInt(4), 0, most).toArray();
                edges.put(number, to);
                store(number, to);
            }
            int steps = random.nextInt(6);
            int root = random.nextInt(most);
            Set<Long> expected = new HashSet<>(Set.of(cid(root)));
            List<Integer> now = List.of(root);
            for (int step = 0; step < steps; step++) {
                List<Integer> next = new ArrayList<>();
                for (int number : now) {
                    for (int to : edges.getOrDefault(number, new int[0])) {
                        if (expected.add(cid(to))) {
                            next.add(to);
                        }
                    }
                }
                now = next;
            }
            Map<Long, byte[]> found = reachable(Reach.ofSteps(steps), root);
            assertThat(found.keySet()).as("graph %d", graph).isEqualTo(expected);
            found.forEach((cid, value) ->
                    assertThat(cid(ByteBuffer.wrap(value).getInt())).isEqualTo(cid));
        }
    }

    @Test
    void getReachable_moreChunksThanAllowed_failsBeforeTheyAreRead() {
        store(1, 2, 3, 4);
        store(2);
        store(3);
        store(4);
        Reach three = Reach.ofSteps(5).withMostChunks(3);

        assertThatThrownBy(() -> reachable(three, 1))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("at most 3 may be read");
        assertThat(batches).containsExactly(1);
        assertThat(reachable(Reach.ofSteps(5).withMostChunks(4), 1)).hasSize(4);
    }

    @Test
    void getReachable_functionThatThrows_failsWithItsCause() {
        store(1);
        assertThatThrownBy(() -> client.getReachable(
                        new long[] {cid(1)},
                        _ -> {
                            throw new IllegalStateException("planned");
                        },
                        Reach.ofSteps(1)))
                .isInstanceOf(GranaryException.class)
                .hasRootCauseMessage("planned");
    }

    @Test
    void reach_numbersThatMakeNoSense_areRefused() {
        assertThatThrownBy(() -> Reach.ofSteps(-1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Reach.ofSteps(1_001)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Reach.ofSteps(1).withMostChunks(0)).isInstanceOf(IllegalArgumentException.class);
    }

    /** An object with one reference. */
    private static final class Link implements Importable {

        private int number;
        private long next;

        @Override
        public void importFrom(Importer importer) {
            number = Integer.reverseBytes(importer.readInt());
            next = Long.reverseBytes(importer.readLong());
        }
    }

    @Test
    void getReachable_objects_areFilledAndFollowed() {
        store(1, 2);
        store(2, 3);
        store(3, -1);
        Map<Long, Link> chain = client.getReachable(
                new long[] {cid(1)}, Link::new, link -> new long[] {link.next}, Reach.ofSteps(Reach.MOST_STEPS));

        assertThat(chain.values()).extracting(link -> link.number).containsExactly(1, 2, 3);
    }
}
