package dev.granary.tools.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.cli.base.UserException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** {@link MeasuringProcess} with processes that run. */
class MeasuringProcessTest {

    private static final long HEAP_BYTES = 24 << 20;

    private final List<String> lines = new ArrayList<>();

    /** What runs in the other process: says what it was given, and ends as its first argument says. */
    static final class Worker {
        public static void main(String[] arguments) {
            System.out.println("a note, " + String.format("%.1f", Math.PI));
            System.out.println("{\"arguments\":\"" + String.join("|", arguments) + "\"}");
            System.out.println("heap " + Runtime.getRuntime().totalMemory());
            System.out.println("variable " + System.getenv("GRANARY_TEST_VARIABLE"));
            System.out.println("option " + System.getProperty("granary.test.option"));
            System.exit(Integer.parseInt(arguments[0]));
        }
    }

    private void run(String... arguments) {
        new MeasuringProcess(MeasuringProcess.ownClassPath(), HEAP_BYTES, List.of("-Dgranary.test.option=set"))
                .run(Worker.class.getName(), List.of(arguments), Map.of("GRANARY_TEST_VARIABLE", "there"), lines::add);
    }

    @Test
    void run_worker_getsArgumentsEnvironmentOptionsAndAHeapOfThatSize() {
        Locale before = Locale.getDefault();
        Locale.setDefault(Locale.GERMANY);
        try {
            run("0", "two words", "");
        } finally {
            Locale.setDefault(before);
        }
        assertThat(lines)
                .hasSize(5)
                .contains("{\"arguments\":\"0|two words|\"}", "variable there", "option set")
                .as("numbers are written as in English")
                .contains("a note, 3.1");
        long heap = Long.parseLong(lines.get(2).substring("heap ".length()));
        assertThat(heap).isBetween(HEAP_BYTES * 9 / 10, HEAP_BYTES);
    }

    @Test
    void run_workerFails_isAFailureAfterAllItsOutput() {
        assertThatThrownBy(() -> run("3")).isInstanceOf(UserException.class).hasMessageContaining("ended with code 3");
        assertThat(lines).hasSize(5);
    }

    @Test
    void run_noSuchClass_isAFailure() {
        assertThatThrownBy(() -> new MeasuringProcess(MeasuringProcess.ownClassPath(), HEAP_BYTES, List.of())
                        .run("no.such.Worker", List.of(), Map.of(), lines::add))
                .isInstanceOf(UserException.class);
        assertThat(lines).isEmpty();
    }

    /** Otherwise a worker would go on to load the machine that measures something else. */
    @Test
    void run_consumerFails_endsTheWorker() {
        List<ProcessHandle> children = new ArrayList<>();
        assertThatThrownBy(() -> new MeasuringProcess(MeasuringProcess.ownClassPath(), HEAP_BYTES, List.of())
                        .run(Endless.class.getName(), List.of(), Map.of(), line -> {
                            ProcessHandle.of(Long.parseLong(line)).ifPresent(children::add);
                            throw new IllegalArgumentException("not a result");
                        }))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(children).singleElement().satisfies(child -> assertThat(child.isAlive())
                .isFalse());
    }

    /** Says its process id and goes on for minutes. */
    static final class Endless {
        public static void main(String[] arguments) throws InterruptedException {
            System.out.println(ProcessHandle.current().pid());
            Thread.sleep(300_000);
        }
    }

    @Test
    void resultsApart_lines_objectsAreResultsAndTheRestIsNotes() {
        List<String> results = new ArrayList<>();
        List<String> notes = new ArrayList<>();
        var output = MeasuringProcess.resultsApart(results::add, notes::add);
        List.of("{\"a\":1}", "", "a {note}", "{}").forEach(output);
        assertThat(results).containsExactly("{\"a\":1}", "{}");
        assertThat(notes).containsExactly("", "a {note}");
    }
}
