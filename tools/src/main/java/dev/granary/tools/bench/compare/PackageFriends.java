package dev.granary.tools.bench.compare;

import dev.granary.cli.graph.PackageGraph;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
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
        int[] numbers = numbers(friends(needs));
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

    private static List<List<Integer>> friends(int[][] needs) {
        List<List<Integer>> friends = new ArrayList<>();
        for (int id = 0; id < needs.length; id++) {
            friends.add(new ArrayList<>());
        }
        for (int one = 0; one < needs.length; one++) {
            for (int other : needs[one]) {
                friends.get(one).add(other);
                friends.get(other).add(one);
            }
        }
        return friends;
    }

    private static int[] numbers(List<List<Integer>> friends) {
        int[] numbers = new int[friends.size()];
        boolean[] seen = new boolean[friends.size()];
        List<Integer> order = new ArrayList<>();
        List<Integer> byFriends = IntStream.range(0, friends.size())
                .boxed()
                .sorted(Comparator.comparingInt(id -> -friends.get(id).size()))
                .toList();
        int looked = 0;
        for (int first : byFriends) {
            if (!seen[first]) {
                seen[first] = true;
                order.add(first);
            }
            for (; looked < order.size(); looked++) {
                int one = order.get(looked);
                numbers[one] = looked;
                for (int other : friends.get(one)) {
                    if (!seen[other]) {
                        seen[other] = true;
                        order.add(other);
                    }
                }
            }
        }
        return numbers;
    }
}
