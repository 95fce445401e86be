package dev.granary.cli.graph;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/** Finds what a person may have meant by a name that does not exist: few edits away, or longer by an ending. */
final class NearNames {

    private static final int MAX_NAMES = 5;

    private NearNames() {}

    /** Up to five names, the nearest first. */
    static List<String> of(String name, Collection<String> all) {
        int farthest = Math.max(1, name.length() / 3);
        List<Near> near = new ArrayList<>();
        for (String candidate : all) {
            if (Math.abs(candidate.length() - name.length()) <= farthest) {
                int edits = edits(name, candidate);
                if (edits <= farthest) {
                    near.add(new Near(candidate, edits));
                    continue;
                }
            }
            if (name.length() > 2 && candidate.startsWith(name)) {
                near.add(new Near(candidate, farthest + candidate.length() - name.length()));
            }
        }
        near.sort(Comparator.comparingInt(Near::distance).thenComparing(Near::name));
        return near.stream().limit(MAX_NAMES).map(Near::name).toList();
    }

    /** Levenshtein's distance: characters to insert, delete or replace. */
    private static int edits(String left, String right) {
        int[] above = new int[right.length() + 1];
        for (int column = 0; column < above.length; column++) {
            above[column] = column;
        }
        for (int row = 1; row <= left.length(); row++) {
            int[] line = new int[right.length() + 1];
            line[0] = row;
            for (int column = 1; column < line.length; column++) {
                int replaced = above[column - 1] + (left.charAt(row - 1) == right.charAt(column - 1) ? 0 : 1);
                line[column] = Math.min(replaced, 1 + Math.min(above[column], line[column - 1]));
            }
            above = line;
        }
        return above[right.length()];
    }

    private record Near(String name, int distance) {}
}
