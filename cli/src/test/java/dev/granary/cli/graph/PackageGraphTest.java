package dev.granary.cli.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PackageGraphTest {

    @Test
    void of_namedPackage_isAnEdgeEvenWhenItsVersionIsAnotherOne() {
        PackageGraph graph = PackageGraph.of(
                Snapshots.of("a ; 1 ;  ;  ;  ;  ; b (>= 2), c (>= 2) ;  ;  ; d ; c (<< 2)", "b ; 2", "c ; 1", "d ; 1"));

        assertThat(edges(graph, EdgeKind.DEPENDS, Direction.OUTGOING, "a")).containsExactly("b", "c+other");
        assertThat(edges(graph, EdgeKind.BREAKS, Direction.OUTGOING, "a")).containsExactly("c");
        assertThat(edges(graph, EdgeKind.CONFLICTS, Direction.INCOMING, "d")).containsExactly("a");
        assertThat(graph.resolution(EdgeKind.DEPENDS)).isEqualTo(new Resolution(2, 2, 1, 0, 0, 0));
        assertThat(graph.edges()).isEqualTo(4);
    }

    @Test
    void of_virtualPackage_isAnEdgeToEachProviderOfAFittingVersion() {
        PackageGraph graph = PackageGraph.of(Snapshots.of(
                "a ; 1 ;  ;  ;  ;  ; mta",
                "b ; 1 ;  ;  ;  ;  ; mta (>= 3) | absent",
                "m1 ; 1 ;  ;  ;  ;  ;  ;  ;  ;  ;  ; mta",
                "m2 ; 1 ;  ;  ;  ;  ;  ;  ;  ;  ;  ; mta (= 2)",
                "m3 ; 1 ;  ;  ;  ;  ;  ;  ;  ;  ;  ; mta (= 3)"));

        assertThat(edges(graph, EdgeKind.DEPENDS, Direction.OUTGOING, "a"))
                .containsExactly("m1+provided", "m2+provided", "m3+provided");
        assertThat(edges(graph, EdgeKind.DEPENDS, Direction.OUTGOING, "b")).containsExactly("m3+alternative+provided");
        assertThat(edges(graph, EdgeKind.DEPENDS, Direction.INCOMING, "m3"))
                .containsExactly("a+provided", "b+alternative+provided");
    }

    @Test
    void of_absentAndOwnNames_areCountedAndBecomeNoEdge() {
        PackageGraph graph = PackageGraph.of(
                Snapshots.of("a ; 1 ;  ;  ;  ;  ; gone, gone (>= 2), lost ;  ;  ; mta, b ;  ; mta", "b ; 1"));

        assertThat(graph.resolution(EdgeKind.DEPENDS)).isEqualTo(new Resolution(3, 0, 0, 3, 2, 0));
        assertThat(graph.resolution(EdgeKind.CONFLICTS)).isEqualTo(new Resolution(2, 1, 0, 0, 0, 1));
    }

    @Test
    void of_oneNameInTwoTerms_keepsTheFlagsThatBothCarry() {
        PackageGraph graph = PackageGraph.of(
                Snapshots.of("a ; 1 ;  ;  ;  ;  ; b (>= 1) | c, b (<< 9), c (>= 2) | b", "b ; 2", "c ; 1"));

        assertThat(edges(graph, EdgeKind.DEPENDS, Direction.OUTGOING, "a")).containsExactly("b", "c+alternative");
    }

    @Test
    void of_aPackageTwice_isRefused() {
        assertThatThrownBy(() -> PackageGraph.of(Snapshots.of("a ; 1", "a ; 2")))
                .isInstanceOf(SnapshotException.class)
                .hasMessageContaining("holds a twice");
    }

    @Test
    void lists_theRealSnapshot_areOrderedMirrorImages() {
        PackageGraph graph = Snapshots.debian();
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (EdgeKind kind : EdgeKind.values()) {
            AdjacencyLists outgoing = graph.lists(kind, Direction.OUTGOING);
            AdjacencyLists incoming = graph.lists(kind, Direction.INCOMING);
            assertThat(incoming.edges()).isEqualTo(outgoing.edges());
            for (int sample = 0; sample < 2000; sample++) {
                int vertex = random.nextInt(graph.vertices());
                assertMirrored(outgoing, incoming, vertex, seed);
                assertMirrored(incoming, outgoing, vertex, seed);
            }
        }
    }

    @Test
    void resolution_theRealSnapshot_resolvesNearlyAllDependencies() {
        Resolution depends = Snapshots.debian().resolution(EdgeKind.DEPENDS);
        assertThat(depends.terms()).isGreaterThan(270_000);
        // A release is closed under dependencies; only further alternatives are absent.
        assertThat(depends.absentTerms()).isLessThan(depends.terms() / 20);
    }

    private static void assertMirrored(AdjacencyLists lists, AdjacencyLists mirror, int vertex, long seed) {
        for (int position = lists.begin(vertex); position < lists.end(vertex); position++) {
            int target = lists.target(position);
            assertThat(target).as("seed %d", seed).isNotEqualTo(vertex);
            if (position > lists.begin(vertex)) {
                assertThat(target).as("seed %d", seed).isGreaterThan(lists.target(position - 1));
            }
            int back = mirror.find(/* vertex= */ target, /* target= */ vertex);
            assertThat(back).as("seed %d", seed).isNotNegative();
            assertThat(mirror.flags(back)).as("seed %d", seed).isEqualTo(lists.flags(position));
        }
    }

    private static List<String> edges(PackageGraph graph, EdgeKind kind, Direction direction, String name) {
        AdjacencyLists lists = graph.lists(kind, direction);
        int vertex = graph.idOf(name);
        List<String> found = new ArrayList<>();
        for (int position = lists.begin(vertex); position < lists.end(vertex); position++) {
            byte flags = lists.flags(position);
            found.add(graph.vertex(lists.target(position)).name()
                    + ((flags & EdgeFlags.ALTERNATIVE) == 0 ? "" : "+alternative")
                    + ((flags & EdgeFlags.PROVIDED) == 0 ? "" : "+provided")
                    + (EdgeFlags.inForce(flags) ? "" : "+other"));
        }
        return found;
    }
}
