package dev.granary.cli.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.cli.graph.Answers.Conflict;
import dev.granary.cli.graph.Answers.Needs;
import dev.granary.cli.graph.Answers.Path;
import dev.granary.cli.graph.Answers.Ranked;
import dev.granary.cli.graph.GraphLoader.LoadedGraph;
import dev.granary.memory.ChunkMemory;
import dev.granary.memory.OutOfChunkMemoryException;
import dev.granary.serialization.MalformedDataException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** The real snapshot in real chunk memories: loaded, read back, queried, and damaged. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StoredGraphTest {

    private static final ChunkProgress SILENT = chunks -> {};

    private final PackageGraph graph = Snapshots.debian();
    private final ReferenceAnswers reference = new ReferenceAnswers(graph);
    private final AtomicLong progress = new AtomicLong();
    private MemoryChunkStore store;
    private LoadedGraph loaded;
    private GraphQuestions questions;

    @BeforeAll
    void load() {
        store = new MemoryChunkStore(64L << 20);
        loaded = GraphLoader.load(store, graph, progress::addAndGet);
        questions = new GraphQuestions(StoredGraph.open(store, loaded.root()));
    }

    @AfterAll
    void close() {
        store.close();
    }

    @Test
    void load_theRealSnapshot_makesTheChunksItAnnouncesSpreadEvenly() {
        assertThat(loaded.chunks()).isEqualTo(GraphLoader.chunks(graph)).isEqualTo(store.chunks());
        assertThat(progress).hasValue(loaded.chunks());
        assertThat(loaded.payloadBytes()).isEqualTo(store.payloadBytes());
        for (long chunks : store.chunksOfEach()) {
            assertThat(chunks).isBetween(loaded.chunks() * 30 / 100, loaded.chunks() * 37 / 100);
        }
    }

    @Test
    void verify_asLoaded_readsEveryChunk() {
        AtomicLong read = new AtomicLong();
        assertThat(GraphVerifier.verify(store, loaded.root(), graph, read::addAndGet))
                .isEqualTo(loaded.chunks());
        assertThat(read).hasValue(loaded.chunks());
    }

    @Test
    void needs_libc6WithinThreeHops_isWhatTheGraphInMemorySays() {
        Needs needs = questions.needs("libc6", 3);

        reference.check(needs, 3);
        assertThat(needs.hops()).hasSize(3);
        assertThat(needs.hops().getFirst().ids()).hasSizeGreaterThan(10_000);
        assertThat(needs.hops().getFirst().samples()).isNotEmpty();
        assertThat(needs.total()).isBetween(needs.hops().getFirst().ids().size(), graph.vertices());
    }

    @Test
    void answers_randomPackages_areWhatTheGraphInMemorySays() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 200; round++) {
            String name = graph.vertex(random.nextInt(graph.vertices())).name();
            String other = graph.vertex(random.nextInt(graph.vertices())).name();
            try {
                reference.check(questions.needs(name, 2), 2);
                reference.check(questions.path(name, other));
                reference.check(questions.path(name, "libc6"));
                reference.check(questions.conflicts(name));
            } catch (GraphMismatchException e) {
                throw new AssertionError("seed " + seed + ", round " + round, e);
            }
        }
    }

    @Test
    void mostNeeded_theRealSnapshot_beginsWithLibc6() {
        List<Ranked> ranked = questions.mostNeeded(10);

        reference.checkMostNeeded(ranked);
        assertThat(ranked).hasSize(10);
        assertThat(ranked.getFirst().name()).isEqualTo("libc6");
    }

    @Test
    void find_aMisspeltName_namesTheNearest() {
        assertThatThrownBy(() -> questions.needs("libc7", 1))
                .isInstanceOf(UnknownPackageException.class)
                .hasMessageContaining("'libc7'")
                .hasMessageContaining("libc6");
        assertThatThrownBy(() -> questions.path("gnome", "frobnicator-of-everything"))
                .isInstanceOf(UnknownPackageException.class)
                .hasMessageContaining("'frobnicator-of-everything'");
    }

    @Test
    void answers_aSmallGraph_areRight() {
        PackageGraph small = PackageGraph.of(Snapshots.of(
                "a ; 1 ;  ;  ;  ;  ; b | x ;  ;  ; d, c (<< 1)",
                "b ; 1 ;  ;  ;  ;  ; v",
                "c ; 1 ;  ;  ;  ; a",
                "d ; 1 ;  ;  ;  ;  ;  ;  ;  ;  ; a ; v"));
        try (MemoryChunkStore memory = new MemoryChunkStore(1L << 20)) {
            LoadedGraph root = GraphLoader.load(memory, small, SILENT);
            GraphQuestions asked = new GraphQuestions(StoredGraph.open(memory, root.root()));

            assertThat(asked.needs("d", 9).hops())
                    .extracting(hop -> hop.samples().toString())
                    .containsExactly("[b]", "[a]", "[c]");
            Path path = asked.path("c", "d");
            assertThat(path.steps()).extracting(Answers.Step::to).containsExactly("a", "b", "d");
            assertThat(path.steps())
                    .extracting(Answers.Step::remark)
                    .containsExactly("", "one of several", "as a provider of it");
            assertThat(asked.path("d", "c").steps()).isEmpty();
            assertThat(asked.path("d", "d").steps()).isEmpty();
            assertThat(asked.conflicts("a"))
                    .isEqualTo(new Answers.Conflicts(
                            "a",
                            List.of(
                                    new Conflict("d", EdgeKind.CONFLICTS, true),
                                    new Conflict("d", EdgeKind.BREAKS, false)),
                            1));
            assertThat(GraphVerifier.verify(memory, root.root(), small, SILENT)).isEqualTo(memory.chunks());
        }
    }

    @Test
    void verify_anyDamagedOrMissingChunk_isFound() {
        PackageGraph small = PackageGraph.of(Snapshots.of(
                "a ; 1 ; s ; p ; 5 ;  ; b, c ; d", "b ; 1 ;  ;  ;  ;  ; d", "c ; 1", "d ; 1 ;  ;  ;  ;  ;  ;  ;  ; a"));
        try (MemoryChunkStore memory = new MemoryChunkStore(1L << 20)) {
            LoadedGraph root = GraphLoader.load(memory, small, SILENT);
            for (int nid : memory.storagePeers()) {
                ChunkMemory peer = memory.of((long) nid << 48);
                for (long lid = 1; lid < peer.lidMark(); lid++) {
                    assertEveryFlippedByteIsFound(memory, peer, (long) nid << 48 | lid, root.root(), small);
                }
            }
            long someChunk = StoredGraph.open(memory, root.root()).find("b");
            memory.delete(new long[] {someChunk});
            assertThatThrownBy(() -> GraphVerifier.verify(memory, root.root(), small, SILENT))
                    .isInstanceOf(MissingChunkException.class)
                    .hasMessageContaining("0x%016x".formatted(someChunk));
        }
    }

    @Test
    void open_aChunkThatIsNoRoot_isRefused() {
        assertThatThrownBy(() -> StoredGraph.open(store, 0x8000_0000_0000_0001L))
                .isInstanceOf(MalformedDataException.class)
                .hasMessageContaining("not the root of a package graph");
    }

    @Test
    void load_noRoom_removesWhatItHadCreated() {
        try (MemoryChunkStore memory = new MemoryChunkStore(2L << 20)) {
            assertThatThrownBy(() -> GraphLoader.load(memory, graph, SILENT))
                    .isInstanceOf(OutOfChunkMemoryException.class);
            assertThat(memory.chunks()).isZero();
        }
    }

    private static void assertEveryFlippedByteIsFound(
            MemoryChunkStore memory, ChunkMemory peer, long cid, long root, PackageGraph graph) {
        int size = Math.max(0, peer.sizeOf(cid)); // a LID below the mark need not have been given
        byte[] bytes = new byte[size];
        MemorySegment segment = MemorySegment.ofArray(bytes);
        peer.get(cid, segment, 0, size);
        for (int index = 0; index < size; index++) {
            bytes[index] ^= 0x10;
            peer.put(cid, segment, 0, size);
            assertThatThrownBy(() -> GraphVerifier.verify(memory, root, graph, SILENT))
                    .as("byte %d of chunk 0x%016x", index, cid)
                    .isInstanceOf(RuntimeException.class);
            bytes[index] ^= 0x10;
            peer.put(cid, segment, 0, size);
        }
    }
}
