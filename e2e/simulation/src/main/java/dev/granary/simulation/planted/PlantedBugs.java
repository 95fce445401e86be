package dev.granary.simulation.planted;

import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** All bugs that can be planted, ordered by the rules that they break. */
public final class PlantedBugs {

    private static final List<PlantedBug> ALL = Stream.of(
                    LeaseBugs.all(),
                    CopyBugs.all(),
                    ClientBugs.all(),
                    IdentityBugs.all(),
                    MigrationBugs.all(),
                    SuperPeerBugs.all(),
                    DurabilityBugs.all(),
                    TakeoverBugs.all(),
                    KeyBugs.all())
            .flatMap(List::stream)
            .sorted(Comparator.comparingInt(PlantedBug::rule))
            .toList();

    private PlantedBugs() {}

    /** Returns all of them, in the order of the rules. */
    public static List<PlantedBug> all() {
        return ALL;
    }

    /**
     * Returns a bug by its name.
     *
     * @throws IllegalArgumentException when there is no such bug; the message lists the known names
     */
    public static PlantedBug named(String name) {
        return ALL.stream()
                .filter(bug -> bug.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("unknown planted bug '" + name + "'; there are: all, "
                        + ALL.stream().map(PlantedBug::name).collect(Collectors.joining(", "))));
    }

    /**
     * Reads names separated by commas; {@code all} stands for all, and a minus before a name leaves that one out.
     *
     * @throws IllegalArgumentException when a name is unknown (the message lists the known names) or no bug is left
     */
    public static List<PlantedBug> parse(String list) {
        Set<PlantedBug> bugs = new LinkedHashSet<>();
        Set<PlantedBug> leftOut = new HashSet<>();
        for (String part : list.split(",", -1)) {
            String name = part.strip();
            if (name.equals("all")) {
                bugs.addAll(ALL);
            } else if (name.startsWith("-")) {
                leftOut.add(named(name.substring(1)));
            } else {
                bugs.add(named(name));
            }
        }
        bugs.removeAll(leftOut);
        if (bugs.isEmpty()) {
            throw new IllegalArgumentException(
                    "'" + list + "' names no planted bug to run; put 'all' before what it leaves out");
        }
        return List.copyOf(bugs);
    }
}
