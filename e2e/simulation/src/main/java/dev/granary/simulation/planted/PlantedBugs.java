package dev.granary.simulation.planted;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** All bugs that can be planted, by the rules that they break. */
public final class PlantedBugs {

    private static final List<PlantedBug> ALL = Stream.of(
                    LeaseBugs.all(),
                    CopyBugs.all(),
                    ClientBugs.all(),
                    IdentityBugs.all(),
                    MigrationBugs.all(),
                    SuperPeerBugs.all(),
                    DurabilityBugs.all(),
                    TakeoverBugs.all())
            .flatMap(List::stream)
            .sorted(Comparator.comparingInt(PlantedBug::rule))
            .toList();

    private PlantedBugs() {}

    /** All of them, in the order of the rules. */
    public static List<PlantedBug> all() {
        return ALL;
    }

    /**
     * One by its name.
     *
     * @throws IllegalArgumentException when there is none; the message names those that there are
     */
    public static PlantedBug named(String name) {
        return ALL.stream()
                .filter(bug -> bug.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("unknown planted bug '" + name + "'; there are: all, "
                        + ALL.stream().map(PlantedBug::name).collect(Collectors.joining(", "))));
    }

    /**
     * Reads names with commas between them; {@code all} stands for all.
     *
     * @throws IllegalArgumentException when one is unknown; the message names those that there are
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
