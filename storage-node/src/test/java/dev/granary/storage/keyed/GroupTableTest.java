package dev.granary.storage.keyed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.overlay.SlotGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class GroupTableTest {

    private final GroupTable<String> table = new GroupTable<>();

    @Test
    void group_begunAndKnown_isFoundUntilItIsRemoved() {
        assertThat(table.isFree(3)).isTrue();
        assertThat(table.begin(3, "a")).isTrue();
        assertThat(table.isFree(3)).isFalse();
        assertThat(table.known(3)).isNull();
        table.know(3, "a");
        assertThat(table.known(3)).isEqualTo("a");
        assertThat(table.known()).containsExactly("a");
        assertThat(table.remove(3, "b")).isFalse();
        assertThat(table.remove(3, "a")).isTrue();
        assertThat(table.isFree(3)).isTrue();
    }

    /** It has looked while the group was free. */
    @Test
    void begin_anotherThreadHasFinishedSince_isRefusedAndLeavesWhatIsKnown() {
        boolean free = table.isFree(0);
        assertThat(table.begin(0, "first")).isTrue();
        table.know(0, "first");
        assertThat(free).isTrue();
        assertThat(table.begin(0, "late")).isFalse();
        assertThat(table.known(0)).isEqualTo("first");
    }

    @Test
    void begin_twoThreadsAtOnce_oneOfThemBegins() throws Exception {
        CyclicBarrier together = new CyclicBarrier(2);
        try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
            List<Future<Integer>> counts = new ArrayList<>();
            for (String name : List.of("a", "b")) {
                counts.add(threads.submit(() -> {
                    int begun = 0;
                    for (int group = 0; group < SlotGroup.COUNT; group++) {
                        together.await();
                        if (table.isFree(group) && table.begin(group, name)) {
                            table.know(group, name);
                            begun++;
                        }
                    }
                    return begun;
                }));
            }
            assertThat(counts.get(0).get() + counts.get(1).get()).isEqualTo(SlotGroup.COUNT);
        }
        assertThat(table.known()).hasSize(SlotGroup.COUNT);
    }
}
