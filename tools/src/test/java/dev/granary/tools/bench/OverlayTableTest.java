package dev.granary.tools.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.bench.overlay.OverlayLine;
import dev.granary.cli.base.UserException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The rows of {@link OverlayTable}: maps beside the tree for the same chunks. */
class OverlayTableTest {

    @TempDir
    private Path directory = Path.of("");

    private static List<String> rows(@Nullable Path json, Consumer<OverlayTable> fill) throws Exception {
        return Printed.by(() -> {
            try (OverlayTable table = new OverlayTable(json)) {
                fill.accept(table);
            }
        });
    }

    private static OverlayLine line(String experiment, String structure, long chunks, String more) {
        return OverlayLine.ofJson("{\"experiment\":\"" + experiment + "\",\"structure\":\"" + structure
                + "\",\"chunks\":" + chunks + ",\"migratedPercent\":1" + more + "}");
    }

    @Test
    void add_mapForTheSameChunks_saysHowManyTimesMoreItTakes() throws Exception {
        List<String> rows = rows(null, table -> {
            table.add(line("paper", "cid-tree", 1_000_000, ",\"totalBytes\":2048"));
            table.add(line("paper", "HashMap", 1_000_000, ",\"totalBytes\":307200"));
            table.add(line("paper", "cid-tree", 10_000_000, ",\"totalBytes\":4096"));
            table.add(line("paper", "HashMap", 10_000_000, ",\"totalBytes\":4096000"));
        });
        assertThat(rows.get(1)).startsWith("paper; the paper: a cuckoo hash takes");
        assertThat(rows.get(2)).startsWith("structure");
        assertThat(rows.get(3)).startsWith("cid-tree").contains("1,000,000", " 2K ");
        assertThat(rows.get(4)).startsWith("HashMap").contains(" 150.0x ");
        assertThat(rows.get(5)).contains(" 4K ");
        assertThat(rows.get(6)).contains(" 1000.0x ");
    }

    @Test
    void add_sameChunksInAnotherExperiment_isNotComparedWithIt() throws Exception {
        List<String> rows = rows(null, table -> {
            table.add(line("paper", "cid-tree", 1000, ",\"totalBytes\":1024"));
            table.add(line("ranges", "HashMap", 1000, ",\"totalBytes\":2048"));
        });
        assertThat(rows.getLast()).contains(" 2K ").doesNotContain("x ");
    }

    @Test
    void add_experiments_haveTheirNamesAndColumnsOnce() throws Exception {
        List<String> rows = rows(null, table -> {
            table.add(line("zones", "cid-tree", 1, ""));
            table.add(line("zones", "cid-tree of zones", 2, ""));
            table.add(line("another", "cid-tree", 1, ""));
        });
        assertThat(rows.stream().filter(row -> row.startsWith("zones; "))).hasSize(1);
        assertThat(rows.stream().filter(row -> row.startsWith("structure"))).hasSize(2);
        assertThat(rows).as("without words of the paper").contains("another; ");
    }

    @Test
    void add_bytesOfRanges_areDividedByThem() throws Exception {
        List<String> rows = rows(
                null,
                table -> table.add(line(
                        "ranges",
                        "cid-tree",
                        1000,
                        ",\"ranges\":100,\"bytesPerRange\":12.5,\"countedBytes\":1600,\"findNanos\":87.6")));
        assertThat(rows.getLast()).contains(" 12.50 ", " 16.00 ", " 88 ");
    }

    @Test
    void add_nothingMeasured_leavesColumnsEmpty() throws Exception {
        List<String> rows = rows(null, table -> table.add(new OverlayLine("zones", "cid-tree")));
        assertThat(rows).noneMatch(row -> row.contains("NaN") || row.contains("Infinity") || row.contains("null"));
    }

    @Test
    void add_clientCache_saysWhatItSaved() throws Exception {
        List<String> rows = rows(
                null,
                table -> table.add(line(
                        "client cache",
                        "range cache",
                        10,
                        ",\"lookupsSavedPercent\":99.5,\"accessTimeReductionPercent\":80")));
        assertThat(rows.getLast()).isEqualTo("  99.50 % of the lookups saved, access times fell by 80.00 %");
    }

    @Test
    void add_withAFile_hasEachLineAsItCame() throws Exception {
        Path file = directory.resolve("result.json");
        OverlayLine line = line("paper", "cid-tree", 10, ",\"totalBytes\":2048");
        rows(file, table -> {
            table.add(line);
            table.note("a note");
        });
        assertThat(Files.readAllLines(file)).containsExactly(line.toJson());
    }

    @Test
    void new_fileThatCannotBeWritten_saysWhich() {
        Path file = directory.resolve("missing").resolve("result.json");
        assertThatThrownBy(() -> new OverlayTable(file))
                .isInstanceOf(UserException.class)
                .hasMessageContaining(file.toString());
    }
}
