package dev.granary.bench.compare.stores;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.bench.stores.CaseFigures;
import dev.granary.bench.stores.CaseRequest;
import dev.granary.bench.stores.StoreWorkload;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** {@link StoreWorker} with a store in memory, by which {@link StoreDb} does what YCSB draws. */
class StoreWorkerTest {

    private static final int OBJECTS = 500;
    private static final int BATCH = 50;

    /** So many that an insert is among them, which is one of a hundred or more. */
    private static final int ENOUGH = 2_000;

    private static final int MOST_ROUNDS = 200;

    @TempDir
    private Path folder = Path.of("");

    private final MapClient client = new MapClient();
    private StoreWorker worker = new StoreWorker(client, folder);

    /** Members of a ring, each a friend of the next one. */
    @BeforeEach
    void makeFriends() throws IOException {
        Files.write(
                folder.resolve(StoreWorkload.FRIENDS_FILE),
                IntStream.range(0, OBJECTS)
                        .mapToObj(one -> one + " " + (one + 1) % (OBJECTS / Members.OBJECTS))
                        .toList());
        worker = new StoreWorker(client, folder);
    }

    private CaseFigures answer(StoreWorkload workload, boolean load) throws Exception {
        int batch = workload.isMultiGet() ? BATCH : 1;
        return worker.answer(new CaseRequest(workload.toString(), load, OBJECTS, 2, batch, 100, 0));
    }

    @ParameterizedTest
    @EnumSource
    void answer_eachWorkloadAfterALoad_succeedsWithoutErrors(StoreWorkload workload) throws Exception {
        assertThat(answer(workload, true).operations()).isEqualTo(OBJECTS);
        assertThat(client.objects.values()).hasSize(OBJECTS);
        if (workload.fields() > 0) {
            assertThat(client.objects.values()).allMatch(value -> value.length == workload.valueBytes());
        }
        Set<Long> before = Set.copyOf(client.objects.keySet());
        CaseFigures figures = answer(workload, false);
        long operations = figures.operations();
        // On a busy machine threads may not run at all for a while.
        for (int again = 0; again < MOST_ROUNDS && operations < ENOUGH; again++) {
            figures = answer(workload, false);
            operations += figures.operations();
        }
        assertThat(figures.errors()).as(String.valueOf(figures.firstError())).isZero();
        assertThat(operations).isGreaterThanOrEqualTo(ENOUGH);
        assertThat(figures.p50Micros()).isLessThanOrEqualTo(figures.p99Micros());
        assertThat(figures.p99Micros()).isLessThanOrEqualTo(figures.p999Micros());
        boolean inserts = workload.mix().insert() > 0 || (workload.fields() == 0 && !workload.isRated());
        assertThat(before.containsAll(client.objects.keySet()))
                .as("nothing new")
                .isEqualTo(!inserts);
        boolean deletes = workload.family() == StoreWorkload.Family.PRODUCTION;
        assertThat(client.objects.keySet().containsAll(before))
                .as("nothing is gone")
                .isEqualTo(!deletes);
        if (deletes) {
            assertThat(client.objects).as("as many as before").hasSize(OBJECTS);
        }
    }

    @Test
    void answer_loadOfTheSameShapeAgain_loadsNothing() throws Exception {
        answer(StoreWorkload.FACEBOOK_B, true);
        assertThat(answer(StoreWorkload.MULTI_GET_ORDERED, true).operations()).isZero();
        assertThat(answer(StoreWorkload.FACEBOOK_F, true).operations()).isEqualTo(OBJECTS);
        assertThat(client.objects).hasSize(2 * OBJECTS);
    }

    @Test
    void answer_objectsThatAreGone_areErrors() throws Exception {
        for (StoreWorkload workload :
                new StoreWorkload[] {StoreWorkload.FACEBOOK_F, StoreWorkload.YCSB_E, StoreWorkload.MULTI_GET_RANDOM}) {
            answer(workload, true);
            client.objects.clear();
            CaseFigures figures = answer(workload, false);
            for (int again = 0; again < MOST_ROUNDS && figures.errors() == 0; again++) {
                figures = answer(workload, false);
            }
            assertThat(figures.errors()).as(workload.toString()).isPositive();
            assertThat(figures.firstError()).isNotEmpty();
        }
    }

    @Test
    void answer_withoutALoad_isRefused() {
        assertThatThrownBy(() -> answer(StoreWorkload.YCSB_A, false))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("not loaded");
    }
}
