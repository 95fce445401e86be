package dev.granary.bench.compare.stores;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.bench.stores.StoreWorkload;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Keys and objects that {@link MultiGetRequests} and {@link YcsbRequests} ask for. */
class RequestsTest {

    private static final int OBJECTS = 100;

    /** Keeps the keys of the last request. */
    private static final class Asked extends MapClient {
        private long[] keys = {};

        @Override
        public Session open() {
            return new MapSession() {
                @Override
                public void readAll(long[] asked, Consumer<byte[]> found) {
                    keys = asked.clone();
                    super.readAll(asked, found);
                }
            };
        }
    }

    private final Asked client = new Asked();
    private final ObjectSet objects = ObjectSet.of(StoreWorkload.FACEBOOK_B, 3);

    private long[] keysOf(boolean random) {
        objects.load(client.open(), OBJECTS);
        int found =
                new MultiGetRequests(objects, 40, random).begin(client.open()).next();
        assertThat(found).isEqualTo(40);
        return client.keys;
    }

    @Test
    void next_orderedMultiGet_asksForConsecutiveObjects() {
        long[] keys = keysOf(false);
        for (int i = 1; i < keys.length; i++) {
            assertThat((keys[i] - keys[i - 1] + OBJECTS) % OBJECTS).isEqualTo(1);
        }
    }

    @Test
    void next_randomMultiGet_asksForDistinctObjectsWithoutOrder() {
        long[] keys = keysOf(true);
        assertThat(Arrays.stream(keys).distinct().count()).isEqualTo(keys.length);
        long inOrder = 0;
        for (int i = 1; i < keys.length; i++) {
            inOrder += keys[i] == keys[i - 1] + 1 ? 1 : 0;
        }
        assertThat(inOrder).isLessThan(10);
    }

    @Test
    void multiGet_ofMoreObjectsThanThereAre_isRefused() {
        objects.load(client.open(), OBJECTS);
        assertThatThrownBy(() -> new MultiGetRequests(objects, OBJECTS + 1, false))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void count_anObjectThatIsAddedBeforeOneBelow_waitsForThatOne() {
        objects.load(client.open(), OBJECTS);
        objects.added(OBJECTS + 1);
        assertThat(objects.count()).isEqualTo(OBJECTS);
        objects.added(OBJECTS);
        assertThat(objects.count()).isEqualTo(OBJECTS + 2);
    }

    @Test
    void properties_ofWorkloadD_areThoseOfYcsb() {
        assertThat(YcsbRequests.properties(StoreWorkload.YCSB_D, OBJECTS))
                .containsEntry("readproportion", "0.95")
                .containsEntry("insertproportion", "0.05")
                .containsEntry("requestdistribution", "latest")
                .containsEntry("recordcount", "100");
    }

    @Test
    void cid_ofObjectsOfTwoShapes_isTheNotedOne() {
        Numbering numbering = new Numbering();
        ObjectSet others = ObjectSet.of(StoreWorkload.FACEBOOK_F, 4);
        numbering.put(objects.key(70_000), 11);
        numbering.put(others.key(70_000), 12);
        assertThat(numbering.cid(objects.key(70_000))).isEqualTo(11);
        assertThat(numbering.cid(others.key(70_000))).isEqualTo(12);
        assertThatThrownBy(() -> numbering.cid(objects.key(1))).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void sizeOf_nodesAndLists_areThoseOfLinkBenchAndAPowerLaw() {
        long links = 0;
        int most = 0;
        for (int node = 0; node < 20_000; node += 2) {
            assertThat(LinkRequests.sizeOf(node)).isEqualTo(128);
            int size = LinkRequests.sizeOf(node + 1L);
            assertThat(size % 24).isZero();
            links += size / 24;
            most = Math.max(most, size / 24);
        }
        assertThat(links / 10_000.0).as("links of a node").isBetween(2.0, 8.0);
        assertThat(most).isBetween(300, 1_000);
    }

    @Test
    void sizeOf_aProductionCache_isTheSameForANumberAndDiffersBetweenNumbers() {
        ProductionSizes sizes = ProductionSizes.of(StoreWorkload.PRODUCTION_KVCACHE);
        assertThat(sizes.sizeOf(7)).isEqualTo(sizes.sizeOf(7));
        assertThat(LongStream.range(0, 100).mapToInt(sizes::sizeOf).distinct().count())
                .isGreaterThan(20);
    }
}
