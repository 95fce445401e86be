package dev.granary.cli.graph;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Describes a package graph for people. */
public final class GraphText {

    private GraphText() {}

    /** Lines with the releases, the number of packages, and for each kind of edge how many relations became edges. */
    public static List<String> describe(PackageGraph graph) {
        List<String> lines = new ArrayList<>();
        graph.releases().forEach(release -> lines.add("snapshot of " + release));
        lines.add(String.format(Locale.ROOT, "%,d packages, %,d edges between them", graph.vertices(), graph.edges()));
        lines.add("                   relations      edges   relations to packages that are not there");
        for (EdgeKind kind : EdgeKind.values()) {
            Resolution resolution = graph.resolution(kind);
            lines.add(String.format(
                    Locale.ROOT,
                    "  %-15s %,10d %,10d   %,6d to %,d",
                    kind.verb(),
                    resolution.terms(),
                    resolution.edges(),
                    resolution.absentTerms(),
                    resolution.absentNames()));
        }
        return lines;
    }
}
