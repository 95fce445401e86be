package dev.granary.simulation.planted;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
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
     * Reads names separated by commas; {@code all} stands for all.
     *
     * @throws IllegalArgumentException when a name is unknown; the message lists the known names
     */
    public static List<PlantedBug> parse(String list) {
        List<PlantedBug> bugs = new ArrayList<>();
        for (String name : list.split(",", -1)) {
            if (name.strip().equals("all")) {
                bugs.addAll(ALL);
            } else {
                bugs.add(named(name.strip()));
            }
        }
        return bugs.stream().distinct().toList();
    }
}
