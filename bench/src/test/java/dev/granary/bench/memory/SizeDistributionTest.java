package dev.granary.bench.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SizeDistributionTest {

    private static final long SEED = 4711;

    @Test
    void parse_oneSize_alwaysDrawn() {
        SizeDistribution sizes = SizeDistribution.parse("32");
        assertThat(sizes.isFixed()).isTrue();
        assertThat(sizes.meanBytes()).isEqualTo(32);
        assertThat(sizes.draw(new SplittableRandom(SEED))).isEqualTo(32);
    }

    @Test
    void parse_range_bothEndsDrawn() {
        SizeDistribution sizes = SizeDistribution.parse("16-18");
        SplittableRandom random = new SplittableRandom(SEED);
        TreeSet<Integer> drawn = new TreeSet<>();
        for (int i = 0; i < 1_000; i++) {
            drawn.add(sizes.draw(random));
        }
        assertThat(drawn).containsExactly(16, 17, 18);
        assertThat(sizes.meanBytes()).isEqualTo(17);
        assertThat(sizes.maxBytes()).isEqualTo(18);
    }

    @Test
    void parseList_severalDistributions_inTheirOrder() {
        assertThat(SizeDistribution.parseList("16,16-64,256"))
                .extracting(SizeDistribution::name)
                .containsExactly("16", "16-64", "256");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "3x", "64-16", "0", "16-", "-16", "1-2-3", "9999999999", "1.5"})
    void parse_noSize_refused(String text) {
        assertThatThrownBy(() -> SizeDistribution.parse(text))
                .isInstanceOf(BadOptionException.class)
                .hasMessageContaining("'" + text + "'");
    }

    @Test
    void ofJson_weights_decideHowOften() {
        SizeDistribution sizes = SizeDistribution.ofJson(
                "test", "{\"valSizeRange\": [10, 20, 30], \"valSizeRangeProbability\": [1, 0, 3]}");
        SplittableRandom random = new SplittableRandom(SEED);
        TreeMap<Integer, Integer> drawn = new TreeMap<>();
        for (int i = 0; i < 40_000; i++) {
            drawn.merge(sizes.draw(random), 1, Integer::sum);
        }
        // A quarter of the sizes is from 10 to 19, the rest is the last bound.
        assertThat(drawn.keySet()).containsExactly(10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 30);
        assertThat(drawn.get(30)).isBetween(29_500, 30_500);
        assertThat(sizes.meanBytes()).isCloseTo(0.25 * 14.5 + 0.75 * 30, within(1e-9));
    }

    @Test
    void load_carriedDistributions_meansAsDrawn() {
        for (String name : SizeDistribution.CARRIED) {
            SizeDistribution sizes = SizeDistribution.load(name);
            SplittableRandom random = new SplittableRandom(SEED);
            double sum = 0;
            for (int i = 0; i < 200_000; i++) {
                int size = sizes.draw(random);
                assertThat(size).isBetween(1, sizes.maxBytes());
                sum += size;
            }
            assertThat(sum / 200_000)
                    .as("mean of %s", name)
                    .isCloseTo(sizes.meanBytes(), within(sizes.meanBytes() * 0.1));
        }
    }

    @Test
    void load_file_read(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("sizes.json");
        Files.writeString(file, "{\"valSizeRange\": [8], \"valSizeRangeProbability\": [0.5]}");
        assertThat(SizeDistribution.load(file.toString()).maxBytes()).isEqualTo(8);
    }

    @Test
    void load_noFile_refusedByName() {
        assertThatThrownBy(() -> SizeDistribution.load("no-such-file"))
                .isInstanceOf(BadOptionException.class)
                .hasMessage("there is no file no-such-file");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "no json | not JSON",
                "[] | needs the arrays",
                "{\"valSizeRange\": [1, 2]} | needs the arrays",
                "{\"valSizeRange\": [], \"valSizeRangeProbability\": []} | needs the arrays",
                "{\"valSizeRange\": [1], \"valSizeRangeProbability\": [1, 2]} | 1 bounds",
                "{\"valSizeRange\": [9, 3], \"valSizeRangeProbability\": [1, 2]} | not above",
                "{\"valSizeRange\": [0, 3], \"valSizeRangeProbability\": [1, 2]} | bound 0",
                "{\"valSizeRange\": [1, \"x\"], \"valSizeRangeProbability\": [1, 2]} | bound 1",
                "{\"valSizeRange\": [1, 2], \"valSizeRangeProbability\": [1, -2]} | weight 1",
                "{\"valSizeRange\": [1, 2], \"valSizeRangeProbability\": [0, 0]} | all weights",
            })
    void ofJson_noDistribution_refusedWithReason(String text, String reason) {
        assertThatThrownBy(() -> SizeDistribution.ofJson("sizes.json", text))
                .isInstanceOf(BadOptionException.class)
                .hasMessageContaining("sizes.json")
                .hasMessageContaining(reason);
    }

    @Test
    void pattern_sizesAndPlaces_followFromTheIndex() {
        SizePattern pattern = new SizePattern(SizeDistribution.parse("16-64"), SEED);
        long sum = 0;
        for (long i = 0; i < 200_000; i++) {
            assertThat(pattern.bytesBefore(i)).isEqualTo(sum);
            sum += pattern.sizeOf(i);
        }
        assertThat(pattern.minBytes()).isEqualTo(16);
        assertThat(pattern.maxBytes()).isEqualTo(64);
        assertThat(sum / 200_000.0).isCloseTo(40, within(0.5));
    }
}
