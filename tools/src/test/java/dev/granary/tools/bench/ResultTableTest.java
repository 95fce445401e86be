package dev.granary.tools.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.bench.memory.ResultLine;
import dev.granary.cli.base.UserException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The rows of {@link ResultTable}: with what each is compared. */
class ResultTableTest {

    @TempDir
    private Path directory = Path.of("");

    private static List<String> rows(@Nullable Path json, Consumer<ResultTable> fill) throws Exception {
        return Printed.by(() -> {
            try (ResultTable table = new ResultTable(json)) {
                fill.accept(table);
            }
        });
    }

    private static ResultLine line(String store, String layout, String name, double rate, double cpuNanos) {
        return new ResultLine()
                .with(ResultLine.STORE, store)
                .with(ResultLine.LAYOUT, layout)
                .with(ResultLine.NAME, name)
                .with(ResultLine.SIZE_BYTES, 32.0)
                .with(ResultLine.THREADS, 1)
                .with(ResultLine.DISTRIBUTION, name.equals("load") ? "" : "zipf")
                .with(ResultLine.WORKLOAD, "facebook-b")
                .with(ResultLine.RATE, rate)
                .with(ResultLine.CPU_NANOS, cpuNanos);
    }

    @Test
    void add_chunkMemory_isComparedWithThePlainArrayByTimeAndProcessorTime() throws Exception {
        List<String> rows = rows(null, table -> {
            table.add(line("plain-array", "", "get", 10e6, 100));
            table.add(line("granary", "typed", "get", 5e6, 400));
        });
        assertThat(rows).hasSize(3);
        assertThat(rows.getFirst()).startsWith("store").contains("M ops/s", "share");
        assertThat(rows.get(1)).contains("10.000").doesNotContain("/");
        assertThat(rows.get(2)).contains("5.000", " 0.50/0.25 ");
    }

    @Test
    void add_batchesAndCreatesAfterDeletes_sayHowManyTimesFasterTheyAre() throws Exception {
        List<String> rows = rows(null, table -> {
            table.add(line("granary", "typed", "load", 2e6, 500));
            table.add(line("granary", "typed", "get", 4e6, 250));
            table.add(line("granary", "typed", "get-batch", 12e6, 80));
            table.add(line("granary", "typed", "create-after-delete", 1e6, 1000));
            table.add(line("granary", "classic", "get-batch", 12e6, 80));
        });
        assertThat(rows.get(3)).contains(" 3.00x ");
        assertThat(rows.get(4)).contains(" 0.50x ");
        assertThat(rows.get(5)).as("nothing single of that layout was measured").doesNotContain("x ");
    }

    @Test
    void add_otherStore_isAShareOfTheTypedLayout() throws Exception {
        List<String> rows = rows(null, table -> {
            table.add(line("granary", "classic", "get", 3e6, 300));
            table.add(line("granary", "typed", "get", 4e6, 250));
            table.add(line("chronicle", "", "get", 1e6, 900));
        });
        assertThat(rows.get(3)).contains(" 0.25 ");
    }

    @Test
    void add_otherSizeOrThreads_isNotComparedWithIt() throws Exception {
        List<String> rows = rows(null, table -> {
            table.add(line("plain-array", "", "get", 10e6, 100));
            table.add(line("granary", "typed", "get", 5e6, 400).with(ResultLine.THREADS, 2));
            table.add(line("granary", "typed", "get", 5e6, 400).with(ResultLine.SIZE_BYTES, 64.0));
        });
        assertThat(rows.subList(2, 4)).noneMatch(row -> row.contains("0.50/"));
    }

    @Test
    void add_nothingMeasured_leavesColumnsEmptyInsteadOfNaN() throws Exception {
        List<String> rows = rows(null, table -> {
            table.add(new ResultLine().with(ResultLine.NAME, "load").with(ResultLine.STORE, "granary"));
            table.add(line("granary", "typed", "get", 5e6, 0).with(ResultLine.GET_P50, 40));
        });
        assertThat(rows).noneMatch(row -> row.contains("NaN") || row.contains("Infinity"));
        assertThat(rows.getLast()).as("percentiles come all together").doesNotContain("40 /");
    }

    @Test
    void add_fragmentation_isALineOfItsOwn() throws Exception {
        List<String> rows = rows(
                null,
                table -> table.add(line("granary", "typed", "defragment", 5e6, 100)
                        .with(ResultLine.FRAGMENTATION, 0.1234)
                        .with(ResultLine.NANOS_PER_LIVE_CHUNK, 55.5)
                        .with(ResultLine.WHOLE_FREE_SHARE, 0.9)));
        assertThat(rows.getLast())
                .isEqualTo("  fragmentation 0.123; 55.5 ns a live chunk; share of the free bytes in whole free"
                        + " segments 0.900");
    }

    @Test
    void section_next_repeatsTheNamesOfTheColumns() throws Exception {
        List<String> rows = rows(null, table -> {
            table.section("first");
            table.add(line("granary", "typed", "get", 5e6, 100));
            table.add(line("granary", "typed", "put", 5e6, 100));
            table.section("second");
            table.note("a note");
            table.add(line("granary", "typed", "get", 5e6, 100));
        });
        assertThat(rows.stream().filter(row -> row.startsWith("store"))).hasSize(2);
        assertThat(rows).contains("first", "second", "  a note");
    }

    @Test
    void add_withAFile_hasOneObjectALineWithTheFieldsOfAll() throws Exception {
        Path file = directory.resolve("result.json");
        Files.writeString(file, "of an earlier run\n");
        rows(file, table -> {
            table.add(line("granary", "typed", "get", 5e6, 123));
            table.add(new ResultLine());
        });
        List<String> lines = Files.readAllLines(file);
        assertThat(lines).hasSize(2);
        ResultLine read = ResultLine.ofJson(lines.getFirst());
        assertThat(read.number(ResultLine.RATE)).isEqualTo(5e6);
        assertThat(read.number(ResultLine.CPU_NANOS))
                .as("it is for the table alone")
                .isNaN();
        assertThat(lines)
                .allSatisfy(line ->
                        ResultLine.FIELDS.forEach(field -> assertThat(line).contains('"' + field + '"')));
    }

    @Test
    void new_fileThatCannotBeWritten_saysWhich() {
        Path file = directory.resolve("missing").resolve("result.json");
        assertThatThrownBy(() -> new ResultTable(file))
                .isInstanceOf(UserException.class)
                .hasMessageContaining(file.toString());
    }
}
