package dev.granary.tools.demo;

import dev.granary.cli.command.Progress;
import dev.granary.cli.graph.Answers.Conflicts;
import dev.granary.cli.graph.Answers.Needs;
import dev.granary.cli.graph.Answers.Path;
import dev.granary.cli.graph.Answers.Ranked;
import dev.granary.cli.graph.ClientChunkStore;
import dev.granary.cli.graph.GraphLoader;
import dev.granary.cli.graph.GraphLoader.LoadedGraph;
import dev.granary.cli.graph.GraphQuestions;
import dev.granary.cli.graph.GraphVerifier;
import dev.granary.cli.graph.PackageGraph;
import dev.granary.cli.graph.ReferenceAnswers;
import dev.granary.cli.graph.StoredGraph;
import dev.granary.client.GranaryClient;
import dev.granary.client.admin.ClusterAdmin;
import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.net.message.LeaseMessages.PeerStatistics;
import dev.granary.overlay.HostAddress;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import me.tongfei.progressbar.ProgressBar;

/**
 * The steps of the demonstration on a cluster: it loads the graph, reads all of it back, asks questions, shows keys,
 * measures, and shows the cost. For one use in one thread.
 */
final class Demo {

    private static final int HOPS = 3;
    private static final int RANKS = 10;
    private static final String CONFLICTING = "postfix";
    private static final Duration STATISTICS_WAIT = Duration.ofSeconds(30);

    private final GranaryClient client;
    private final PackageGraph graph;
    private final HostAddress door;
    private final ClientChunkStore store;
    private final Screen screen;

    /** @param door a port for clients of the Redis protocol, of any storage peer */
    Demo(GranaryClient client, PackageGraph graph, HostAddress door, Screen screen) {
        this.client = client;
        this.graph = graph;
        this.door = door;
        this.store = new ClientChunkStore(client);
        this.screen = screen;
    }

    /**
     * Runs the whole demonstration.
     *
     * @param from package at the beginning of the chain of needs
     * @param to package at its end
     * @param needed package for the question "what needs it?"
     * @param measured longest time of the measured phase
     */
    DemoReport run(String from, String to, String needed, Duration measured) throws InterruptedException {
        Timed<LoadedGraph> loaded = load();
        verify(loaded.value());
        ClusterCost cost = awaitStatistics(loaded.value().chunks());
        StoredGraph stored = StoredGraph.open(store, loaded.value().root());
        ask(stored, from, to, needed);
        KeyPhase.Figures keys = new KeyPhase(client, door, graph.versions(), screen).run(needed);
        Measurement measurement = measure(stored, measured, cost);
        showCost(cost, loaded.value());
        return new DemoReport(
                loaded.value().chunks(),
                loaded.value().payloadBytes(),
                cost.bookkeepingBytesPerChunk(),
                measurement,
                keys,
                loaded.seconds(),
                cost.peers().size(),
                cost.superPeers());
    }

    private Timed<LoadedGraph> load() {
        screen.heading("Loading: one chunk for each package, each adjacency list, each bucket of names");
        Timed<LoadedGraph> loaded;
        try (ProgressBar bar = Progress.bar("  load", GraphLoader.chunks(graph))) {
            loaded = Timed.of(() -> GraphLoader.load(store, graph, bar::stepBy));
        }
        LoadedGraph value = loaded.value();
        screen.text(String.format(
                Locale.ROOT,
                "%,d chunks with %,d bytes, %.0f on average, in %.1f s",
                value.chunks(),
                value.payloadBytes(),
                (double) value.payloadBytes() / value.chunks(),
                loaded.seconds()));
        screen.text(String.format(Locale.ROOT, "all of them found from the root, chunk 0x%016x", value.root()));
        return loaded;
    }

    private void verify(LoadedGraph loaded) {
        screen.heading("Verifying: every chunk is read back and compared with the snapshot");
        Timed<Long> verified;
        try (ProgressBar bar = Progress.bar("  verify", loaded.chunks())) {
            verified = Timed.of(() -> GraphVerifier.verify(store, loaded.root(), graph, bar::stepBy));
        }
        screen.text(String.format(
                Locale.ROOT, "%,d chunks are what they should be, in %.1f s", verified.value(), verified.seconds()));
    }

    private void ask(StoredGraph stored, String from, String to, String needed) {
        GraphQuestions questions = new GraphQuestions(stored);
        ReferenceAnswers reference = new ReferenceAnswers(graph);

        screen.heading("What needs " + needed + " within three hops?");
        Needs needs =
                answer(stored, () -> questions.needs(needed, HOPS), answer -> AnswerText.of(answer, stored.vertices()));
        reference.check(needs, HOPS);

        screen.heading("What is the shortest chain of needs from " + from + " to " + to + "?");
        Path path = answer(stored, () -> questions.path(from, to), AnswerText::of);
        reference.check(path);

        screen.heading("Which packages do the most others depend on?");
        List<Ranked> ranked = answer(stored, () -> questions.mostNeeded(RANKS), AnswerText::of);
        reference.checkMostNeeded(ranked);

        screen.heading("What can " + CONFLICTING + " not be installed with?");
        Conflicts conflicts = answer(stored, () -> questions.conflicts(CONFLICTING), AnswerText::of);
        reference.check(conflicts);

        screen.blank();
        screen.text("The same four answers, computed from the snapshot in memory, agree.");
    }

    /** Answers a question, and shows the answer and its cost. */
    private <T> T answer(StoredGraph stored, Supplier<T> question, Function<T, List<String>> asText) {
        long before = stored.chunksRead();
        Timed<T> answer = Timed.of(question);
        asText.apply(answer.value()).forEach(screen::text);
        screen.text(String.format(
                Locale.ROOT, "(%,d chunks read in %,.0f ms)", stored.chunksRead() - before, answer.seconds() * 1e3));
        return answer.value();
    }

    private Measurement measure(StoredGraph stored, Duration measured, ClusterCost cost) {
        int threads = cost.peers().size();
        screen.heading("Measuring for " + measured.toSeconds() + " seconds");
        Measurement measurement =
                new MeasuredPhase(client, stored.vertexCids(), measured, threads, cost.freeBytes()).run();
        screen.text(String.format(
                Locale.ROOT,
                "single gets, one at a time:          p50 %,.0f µs, p99 %,.0f µs, %,.0f gets/s",
                measurement.getP50Micros(),
                measurement.getP99Micros(),
                measurement.singleGetsPerSecond()));
        screen.text(String.format(
                Locale.ROOT,
                "gets in batches of %,d, %d at once:    %,.0f chunks/s",
                measurement.batchChunks(),
                measurement.batchesAtOnce(),
                measurement.getOpsPerSecond()));
        screen.text(String.format(
                Locale.ROOT,
                "creates in batches of %,d, %d at once: %,.0f chunks/s of %d bytes",
                measurement.batchChunks(),
                measurement.batchesAtOnce(),
                measurement.createOpsPerSecond(),
                measurement.createdBytes()));
        screen.text(String.format(
                Locale.ROOT,
                "Client and cluster share this machine's %d processors.",
                Runtime.getRuntime().availableProcessors()));
        return measurement;
    }

    private void showCost(ClusterCost cost, LoadedGraph loaded) {
        screen.heading("What the graph costs, as the storage peers say themselves");
        for (PeerInfo peer : cost.peers()) {
            PeerStatistics figures = peer.statistics();
            screen.text(String.format(
                    Locale.ROOT,
                    "0x%04x %-12s %,9d chunks  %,11d bytes of payload  %,10d of bookkeeping",
                    peer.nid(),
                    peer.name(),
                    figures.chunks(),
                    figures.payloadBytes(),
                    figures.bookkeepingBytes()));
        }
        screen.text(String.format(
                Locale.ROOT,
                "%-19s %,9d chunks  %,11d bytes of payload  %,10d of bookkeeping",
                "in all",
                cost.chunks(),
                cost.payloadBytes(),
                cost.bookkeepingBytes()));
        screen.text(String.format(
                Locale.ROOT,
                "%.2f bytes of bookkeeping a chunk, for %.1f bytes of payload",
                cost.bookkeepingBytesPerChunk(),
                (double) loaded.payloadBytes() / loaded.chunks()));
    }

    /** Waits until the storage peers have reported the loaded chunks, which they do when they renew their leases. */
    private ClusterCost awaitStatistics(long chunks) throws InterruptedException {
        long deadline = System.nanoTime() + STATISTICS_WAIT.toNanos();
        ClusterCost cost = ClusterCost.of(ClusterAdmin.of(client).view());
        while (cost.chunks() != chunks) {
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException(
                        "the storage peers report " + cost.chunks() + " chunks where " + chunks + " have been loaded");
            }
            TimeUnit.MILLISECONDS.sleep(100);
            cost = ClusterCost.of(ClusterAdmin.of(client).view());
        }
        return cost;
    }

    /** A value and the time that it took. */
    private record Timed<T>(T value, double seconds) {

        static <T> Timed<T> of(Supplier<T> work) {
            long start = System.nanoTime();
            T value = work.get();
            return new Timed<>(value, (System.nanoTime() - start) / 1e9);
        }
    }
}
