package dev.granary.bench.compare.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@link ReportPage} with its {@link Tables} and {@link Plots}, from a file of results. */
class ReportPageTest {

    @TempDir
    private Path directory = Path.of("");

    private static String line(String store, String workload, int batch, int round, double rate, double target) {
        return """
                {"kind":"compare","time":"2026-11-27T00:00:0%dZ","store":"%s","version":"1.2","client":"a client",\
                "workload":"%s","mode":"%s","threads":8,"batch":%d,"copies":1,"objects":20000,"valueBytes":32,\
                "millis":400,"round":%d,"targetPerSecond":%s,"opsPerSecond":%s,"p50Micros":10.5,"p99Micros":%s,\
                "p999Micros":900,"errors":%d,"firstError":%s,"clientCpuNanosPerOp":100,"serverCpuNanosPerOp":%s,\
                "serverCpus":"0","clientCpus":"1","machine":"a machine","later":1}
                """.formatted(
                                round,
                                store,
                                workload,
                                target == 0 ? "closed" : "open",
                                batch,
                                round,
                                target,
                                rate,
                                store.equals("redis") ? "40" : "50",
                                store.equals("ignite") ? 3 : 0,
                                store.equals("ignite") ? "\"it | fell\"" : "null",
                                store.equals("hazelcast") ? "5100" : "2500")
                        .replace("\n", "")
                + "\n";
    }

    private Measured measured() throws IOException {
        StringBuilder lines = new StringBuilder("{\"kind\":\"other\"}\n");
        for (int round = 1; round <= 3; round++) {
            for (String store : List.of("granary", "redis", "hazelcast", "ignite")) {
                double rate = (store.equals("redis") ? 60_000 : store.equals("granary") ? 50_000 : 20_000) + round;
                lines.append(line(store, "facebook-b", 1, round, rate, 0));
                lines.append(line(store, "facebook-b", 1, round, 10_000, 10_000));
                lines.append(line(store, "multi-get-random", 1_000, round, store.equals("granary") ? 7e6 : 1e6, 0));
            }
        }
        Files.writeString(directory.resolve("a.json"), lines);
        return new Measured(Round.readAll(List.of(directory)));
    }

    private String page() throws IOException {
        new ReportPage(measured(), "beside", "Builds ran beside it.").write(directory);
        return Files.readString(directory.resolve("beside.md"));
    }

    @Test
    void write_results_saysWhatWasRunMediansAndSpread() throws IOException {
        assertThat(page())
                .contains("Builds ran beside it.", "| redis | 1.2 | a client | 1 |", "a machine")
                .contains("| facebook-b | 50 (50–50) | 60 (60–60) |")
                .contains("| facebook-b | 10 | 10.5; 50.0; 900 |")
                .contains("3 of 400 ms", "20,000 of 32 B");
    }

    @Test
    void write_results_saysWhatIsMetAndWhereGranaryLoses() throws IOException {
        assertThat(page())
                .contains("| hazelcast | facebook-b | ≥ 2.0 | 2.50 | yes | 2.00 |")
                .contains("| infinispan | facebook-b | ≥ 6.0 | – | – | – |")
                .contains("| redis | multi-get-random, 1,000 | ≥ 6.0 | 7.00 | yes | 1.00 |")
                .contains("| facebook-b | rate | redis (0.83) |")
                .contains("| facebook-b | p99 at the same rate | redis (0.80) |");
    }

    private static String rated(String store, int threads, int round, double rate, double p95Micros, int stale) {
        return line(store, "bg", 1, round, rate, 0)
                .replace("\"threads\":8", "\"threads\":" + threads)
                .replace("\"p50Micros\"", "\"p95Micros\":" + p95Micros + ",\"staleReads\":" + stale + ",\"p50Micros\"");
    }

    @Test
    void write_ratedWorkload_hasTheBestRatesThatKeepTheLimits() throws IOException {
        StringBuilder lines = new StringBuilder();
        for (int round = 1; round <= 3; round++) {
            lines.append(rated("granary", 4, round, 10_000, 900, 0));
            lines.append(rated("granary", 16, round, 20_000 + round, 900, 0));
            lines.append(rated("granary", 64, round, 30_000, round == 2 ? 100_001 : 900, 0));
            lines.append(rated("redis", 4, round, 15_000, 900, round == 3 ? 40 : 0));
        }
        Files.writeString(directory.resolve("rated.json"), lines);
        new ReportPage(new Measured(Round.readAll(List.of(directory))), "rated", "").write(directory);
        assertThat(Files.readString(directory.resolve("rated.md")))
                .contains("| bg | 20,002 with 16 | –; 40 stale |")
                .contains("| bg, 64 threads | 30 (30–30) | – |")
                .doesNotContain("## Rates", "## Targets");
    }

    @Test
    void write_errorsOfAStore_areInATable() throws IOException {
        assertThat(page()).contains("| ignite | facebook-b, closed, 1 | 3 | it / fell |");
    }

    @Test
    void write_results_makesPlotsThatCanBeRead() throws IOException {
        String page = page();
        List<String> plots = List.of("beside-rates.png", "beside-latency.png", "beside-batches.png");
        for (String plot : plots) {
            assertThat(page).contains("](" + plot + ")");
            BufferedImage image = ImageIO.read(directory.resolve(plot).toFile());
            assertThat(image.getWidth()).isGreaterThan(500);
            assertThat(colors(image)).as("colours of " + plot).isGreaterThan(5);
        }
    }

    private static long colors(BufferedImage image) {
        List<Integer> all = new ArrayList<>();
        for (int x = 0; x < image.getWidth(); x += 3) {
            for (int y = 0; y < image.getHeight(); y += 3) {
                all.add(image.getRGB(x, y));
            }
        }
        return all.stream().distinct().count();
    }

    @Test
    void readAll_aLineThatIsNoJson_isRefusedByItsFile() throws IOException {
        Path file = Files.writeString(directory.resolve("bad.json"), "{\"kind\":");
        assertThatThrownBy(() -> Round.readAll(List.of(file)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("bad.json");
    }

    @Test
    void spread_ofAnEvenNumber_hasTheMiddleOfTwo() throws IOException {
        Path file = directory.resolve("two.json");
        Files.writeString(file, line("granary", "ycsb-a", 1, 1, 100, 0) + line("granary", "ycsb-a", 1, 2, 300, 0));
        Measured two = new Measured(Round.readAll(List.of(file)));
        Measured.Case only = two.cases(Round::isClosed).getFirst();
        assertThat(two.spread(only, "granary", Round::opsPerSecond)).contains(new Measured.Spread(200, 100, 300));
        assertThat(two.spread(only, "redis", Round::opsPerSecond)).isEmpty();
        assertThat(two.median(only, "redis", Round::opsPerSecond)).isNaN();
    }
}
