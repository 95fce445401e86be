package dev.granary.tools.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.cli.GranaryCommand;
import java.util.List;
import org.junit.jupiter.api.Test;

class BenchEvictionCommandTest {

    @Test
    void eviction_fewObjects_hasARowForEachCase() throws Exception {
        List<String> table = Printed.by(
                () -> assertThat(GranaryCommand.execute("bench", "eviction", "--objects", "2_000", "--requests", "20k"))
                        .isZero());
        assertThat(table).hasSize(2 + 3 * 3 * 2);
        assertThat(table.getFirst()).endsWith("| S3-FIFO | index | no ghosts |");
        assertThat(table.getLast()).startsWith("| kvcache_reg | 30 % | 100 | 0.");
    }

    @Test
    void eviction_noNumber_isRefused() {
        assertThat(GranaryCommand.execute("bench", "eviction", "--objects", "many"))
                .isEqualTo(2);
    }
}
