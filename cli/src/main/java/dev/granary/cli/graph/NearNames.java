package dev.granary.cli.graph;

import dev.granary.process.config.EditDistance;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/** Finds names that a person may have meant: names a few edits away, or with an additional ending. */
final class NearNames {

    private static final int MAX_NAMES = 5;
    private static final int MAX_EDITS = 3;

    private NearNames() {}

    /** Up to five names, the nearest first. */
    static List<String> of(String name, Collection<String> all) {
        int farthest = Math.clamp(name.length() / 3, 1, MAX_EDITS);
        List<Near> near = new ArrayList<>();
        for (String candidate : all) {
            if (Math.abs(candidate.length() - name.length()) <= farthest) {
                int edits = EditDistance.between(name, candidate);
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

    private record Near(String name, int distance) {}
}
