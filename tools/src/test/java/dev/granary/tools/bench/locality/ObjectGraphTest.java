package dev.granary.tools.bench.locality;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.cli.graph.PackageGraph;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** {@link ObjectGraph}, and where {@link Placement} puts its objects. */
class ObjectGraphTest {

    private static final int PEERS = 3;

    private static double peersPerRead(ObjectGraph graph, int[] placed) {
        return Arrays.stream(graph.roots())
                .mapToLong(root -> Arrays.stream(graph.reachable(root))
                        .map(object -> placed[object])
                        .distinct()
                        .count())
                .average()
                .orElseThrow();
    }

    private static int largest(int[] placed) {
        return IntStream.range(0, PEERS)
                .map(peer ->
                        (int) Arrays.stream(placed).filter(at -> at == peer).count())
                .max()
                .orElseThrow();
    }

    @Test
    void reachable_treeAndDiamond_isEachObjectOnceStepByStep() {
        ObjectGraph diamond = new ObjectGraph(new int[][] {{1, 2}, {3, 0}, {3}, {4}, {}}, new int[] {0});
        assertThat(diamond.reachable(0)).containsExactly(0, 1, 2, 3);
        ObjectGraph trees = ObjectGraph.trees(3);
        assertThat(trees.reachable(trees.roots()[2]))
                .hasSize(ObjectGraph.TREE)
                .startsWith(2 * ObjectGraph.TREE)
                .doesNotHaveDuplicates();
        assertThat(Arrays.stream(trees.reachable(trees.roots()[2]))).allMatch(object -> object / ObjectGraph.TREE == 2);
    }

    @Test
    void near_trees_areEachOnOnePeer() {
        ObjectGraph graph = ObjectGraph.trees(100);
        int[] near = Placement.NEAR.of(graph.references(), PEERS);
        assertThat(peersPerRead(graph, near)).isEqualTo(1);
        assertThat(peersPerRead(graph, Placement.ANYWHERE.of(graph.references(), PEERS)))
                .isEqualTo(PEERS);
    }

    @Test
    void near_packagesAndPowerLaw_needFewerPeersWhichAreEquallyFull() {
        for (ObjectGraph graph :
                new ObjectGraph[] {ObjectGraph.packages(PackageGraph.read(), 500), ObjectGraph.powerLaw(500)}) {
            assertThat(graph.roots()).hasSize(500).doesNotHaveDuplicates();
            int[] near = Placement.NEAR.of(graph.references(), PEERS);
            int[] anywhere = Placement.ANYWHERE.of(graph.references(), PEERS);
            assertThat(peersPerRead(graph, near)).isLessThan(peersPerRead(graph, anywhere));
            assertThat(largest(near)).isLessThanOrEqualTo((int) Math.ceil(1.05 * graph.objects() / PEERS) + 1);
            assertThat(largest(anywhere)).isEqualTo(Math.ceilDiv(graph.objects(), PEERS));
        }
    }
}
