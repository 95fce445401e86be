package dev.granary.bench.overlay;

import dev.granary.overlay.name.NameTrie;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/**
 * Names such as {@code profile:1234567}: bytes and time of one name, beside a Java hash map. In a result line the
 * ranges are names.
 */
final class NamesExperiment {

    static final String NAME = "names";

    private static final int FINDS = 500_000;

    private NamesExperiment() {}

    static void run(long names, Consumer<OverlayLine> results) {
        Measure.alone(() -> trie(names, results));
        Measure.alone(() -> javaHash(names, results));
    }

    private static void trie(long names, Consumer<OverlayLine> results) {
        long before = Measure.usedBytes();
        long start = Measure.cpuNanos();
        NameTrie trie = new NameTrie();
        for (long i = 0; i < names; i++) {
            trie.putIfAbsent(name(i), 1 + i);
        }
        double insertNanos = (double) (Measure.cpuNanos() - start) / names;
        long bytes = Measure.usedBytes() - before;
        long sum = 0;
        SplittableRandom random = new SplittableRandom(3);
        start = Measure.cpuNanos();
        for (int i = 0; i < FINDS; i++) {
            sum += trie.get(name(random.nextLong(names))).orElseThrow();
        }
        double findNanos = (double) (Measure.cpuNanos() - start) / FINDS;
        results.accept(line("name trie", names, bytes, insertNanos, findNanos)
                .with(OverlayLine.COUNTED_BYTES, trie.footprintBytes()));
        Measure.keep(sum);
    }

    private static void javaHash(long names, Consumer<OverlayLine> results) {
        long before = Measure.usedBytes();
        long start = Measure.cpuNanos();
        Map<String, Long> map = new HashMap<>();
        for (long i = 0; i < names; i++) {
            map.put(text(i), 1 + i);
        }
        double insertNanos = (double) (Measure.cpuNanos() - start) / names;
        long bytes = Measure.usedBytes() - before;
        long sum = 0;
        SplittableRandom random = new SplittableRandom(3);
        start = Measure.cpuNanos();
        for (int i = 0; i < FINDS; i++) {
            Long cid = map.get(text(random.nextLong(names)));
            sum += cid == null ? 0 : cid;
        }
        double findNanos = (double) (Measure.cpuNanos() - start) / FINDS;
        results.accept(line("HashMap of strings", names, bytes, insertNanos, findNanos));
        Measure.keep(sum);
    }

    private static OverlayLine line(String structure, long names, long bytes, double insertNanos, double findNanos) {
        return new OverlayLine(NAME, structure)
                .with(OverlayLine.RANGES, names)
                .with(OverlayLine.CHUNKS, names)
                .with(OverlayLine.TOTAL_BYTES, bytes)
                .with(OverlayLine.BYTES_PER_RANGE, (double) bytes / names)
                .with(OverlayLine.FIND_NANOS, findNanos)
                .with(OverlayLine.INSERT_NANOS, insertNanos);
    }

    private static String text(long number) {
        // A step that is coprime to every number of names spreads the numbers over 10 digits.
        return "profile:" + (number * 7_919 % 9_999_999_967L);
    }

    private static byte[] name(long number) {
        return text(number).getBytes(StandardCharsets.UTF_8);
    }
}
