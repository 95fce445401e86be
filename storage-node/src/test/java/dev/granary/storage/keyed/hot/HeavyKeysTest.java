package dev.granary.storage.keyed.hot;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class HeavyKeysTest {

    private final HeavyKeys heavy = new HeavyKeys();

    private void add(String key, long weight) {
        ByteBuf bytes = Unpooled.copiedBuffer("..." + key + "...", StandardCharsets.ISO_8859_1);
        int length = bytes.readableBytes() - 6;
        heavy.add(HeavyKeys.hash(bytes, 3, length), bytes, 3, length, weight);
        bytes.release();
    }

    private List<String> top(int most) {
        return heavy.top(most).stream()
                .map(entry -> new String(entry.key(), StandardCharsets.ISO_8859_1) + "=" + entry.weight())
                .toList();
    }

    @Test
    void top_fewKeys_areExactAndInTheirOrder() {
        add("a", 5);
        add("b", 7);
        add("a", 4);
        add("c", 1);
        assertThat(top(10)).containsExactly("a=9", "b=7", "c=1");
        assertThat(top(2)).containsExactly("a=9", "b=7");
    }

    @Test
    void add_noWeight_isNoKey() {
        add("a", 0);
        assertThat(top(10)).isEmpty();
    }

    @Test
    void top_manyColdKeysBetweenHotOnes_hasTheHotOnesWithNoMoreThanTheirWeights() {
        SplittableRandom random = new SplittableRandom(17);
        Map<String, Long> exact = new HashMap<>();
        for (int i = 0; i < 200_000; i++) {
            String key = random.nextInt(10) < 3 ? "hot" + random.nextInt(10) : "cold" + random.nextInt(100_000);
            long weight = 1L + random.nextInt(100);
            add(key, weight);
            exact.merge(key, weight, Long::sum);
        }
        List<HeavyKeys.Entry> top = heavy.top(10);
        assertThat(top.stream().map(entry -> new String(entry.key(), StandardCharsets.ISO_8859_1)))
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, 10).mapToObj(i -> "hot" + i).toList());
        for (HeavyKeys.Entry entry : top) {
            long truth = exact.getOrDefault(new String(entry.key(), StandardCharsets.ISO_8859_1), 0L);
            assertThat(entry.weight()).isBetween(truth * 8 / 10, truth);
        }
    }

    @Test
    void keys_longOnesWithTheSameBeginning_areToldApartAndCut() {
        String begin = "k".repeat(HeavyKeys.KEPT_KEY_BYTES);
        add(begin + "1", 5);
        add(begin + "2", 3);
        assertThat(top(10)).containsExactly(begin + "=5", begin + "=3");
    }

    @Test
    void hash_bytesAndLengths_tellKeysApart() {
        long distinct = IntStream.range(0, 40)
                .mapToLong(length -> {
                    ByteBuf zeros = Unpooled.buffer(40).writeZero(40);
                    return HeavyKeys.hash(zeros, 0, length);
                })
                .distinct()
                .count();
        assertThat(distinct).isEqualTo(40);
    }
}
