package dev.granary.tools.demo;

import dev.granary.cli.graph.Answers.Conflict;
import dev.granary.cli.graph.Answers.Conflicts;
import dev.granary.cli.graph.Answers.Hop;
import dev.granary.cli.graph.Answers.Needs;
import dev.granary.cli.graph.Answers.Path;
import dev.granary.cli.graph.Answers.Ranked;
import dev.granary.cli.graph.Answers.Step;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Formats answers for people, line by line. */
final class AnswerText {

    private static final int CONFLICTS_SHOWN = 6;

    private AnswerText() {}

    static List<String> of(Needs needs, int packages) {
        if (needs.hops().isEmpty()) {
            return List.of("Nothing needs it.");
        }
        List<String> lines = new ArrayList<>();
        int distance = 0;
        for (Hop hop : needs.hops()) {
            distance++;
            int size = hop.ids().size();
            String samples =
                    String.join(", ", hop.samples()) + (size > hop.samples().size() ? ", …" : "");
            String hops = distance == 1 ? "1 hop" : distance + " hops";
            lines.add(String.format(
                    Locale.ROOT, "%-7s%,7d %-8s   %s", hops, size, size == 1 ? "package" : "packages", samples));
        }
        lines.add(String.format(Locale.ROOT, "in all %,7d of %,d packages", needs.total(), packages));
        return lines;
    }

    static List<String> of(Path path) {
        if (path.steps().isEmpty()) {
            return List.of(
                    path.from().equals(path.to())
                            ? "They are the same package."
                            : path.from() + " does not need " + path.to() + ", not even through others.");
        }
        List<String> lines = new ArrayList<>();
        int longest = path.steps().stream()
                .mapToInt(step -> step.from().length())
                .max()
                .orElse(0);
        for (Step step : path.steps()) {
            String remark = step.remark().isEmpty() ? "" : " (" + step.remark() + ")";
            lines.add(String.format(
                    Locale.ROOT,
                    "%-" + longest + "s  %s %s%s",
                    step.from(),
                    step.kind().verb(),
                    step.to(),
                    remark));
        }
        return lines;
    }

    static List<String> of(List<Ranked> ranked) {
        List<String> lines = new ArrayList<>();
        for (Ranked one : ranked) {
            lines.add(String.format(
                    Locale.ROOT,
                    "%2d. %-24s %,7d packages depend on it",
                    lines.size() + 1,
                    one.name(),
                    one.dependants()));
        }
        return lines;
    }

    static List<String> of(Conflicts conflicts) {
        Map<String, Set<Boolean>> sayers = new TreeMap<>();
        for (Conflict conflict : conflicts.inForce()) {
            sayers.computeIfAbsent(conflict.with(), name -> new HashSet<>()).add(conflict.own());
        }
        List<String> lines = new ArrayList<>();
        addConflicts(lines, "both say so", sayers, Set.of(true, false));
        addConflicts(lines, "only " + conflicts.of() + " says so", sayers, Set.of(true));
        addConflicts(lines, "only the other says so", sayers, Set.of(false));
        if (lines.isEmpty()) {
            lines.add("With every package of the snapshot it can.");
        }
        if (conflicts.otherVersions() > 0) {
            lines.add(String.format(
                    Locale.ROOT, "(%,d more conflicts are with versions other than these)", conflicts.otherVersions()));
        }
        return lines;
    }

    /** Adds a line with the packages whose conflicts exactly these sides declare. */
    private static void addConflicts(
            List<String> lines, String who, Map<String, Set<Boolean>> sayers, Set<Boolean> wanted) {
        List<String> names = sayers.entrySet().stream()
                .filter(entry -> entry.getValue().equals(wanted))
                .map(Map.Entry::getKey)
                .toList();
        if (!names.isEmpty()) {
            String shown = String.join(", ", names.subList(0, Math.min(names.size(), CONFLICTS_SHOWN)));
            int more = names.size() - CONFLICTS_SHOWN;
            lines.add(String.format(Locale.ROOT, "%s: %s%s", who, shown, more > 0 ? " and " + more + " more" : ""));
        }
    }
}
