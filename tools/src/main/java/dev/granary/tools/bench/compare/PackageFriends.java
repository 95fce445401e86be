package dev.granary.tools.bench.compare;

import dev.granary.bench.graph.Neighbours;
import dev.granary.cli.graph.PackageGraph;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * The graph of packages as one of friends: two are friends when one needs the other. Packages have new numbers, breadth
 * first from those with the most friends on, so that those with low numbers are a graph that hangs together.
 */
final class PackageFriends {

    private PackageFriends() {}

    /** Writes a line with both numbers for each two that are friends. */
    static void write(Path file) throws IOException {
        int[][] needs = PackageGraph.read().needs();
        int[] numbers = numbers(Neighbours.of(needs), needs.length);
        try (PrintWriter lines = new PrintWriter(Files.newBufferedWriter(file, StandardCharsets.US_ASCII))) {
            for (int one = 0; one < needs.length; one++) {
                for (int other : needs[one]) {
                    lines.println(numbers[one] + " " + numbers[other]);
                }
            }
            if (lines.checkError()) {
                throw new IOException(file + " cannot be written");
            }
        }
    }

    private static int[] numbers(Neighbours friends, int packages) {
        int[] byFriends = IntStream.range(0, packages)
                .boxed()
                .sorted(Comparator.comparingInt(id -> -friends.count(id)))
                .mapToInt(Integer::intValue)
                .toArray();
        int[] order = friends.breadthFirst(byFriends);
        int[] numbers = new int[packages];
        for (int number = 0; number < packages; number++) {
            numbers[order[number]] = number;
        }
        return numbers;
    }
}
