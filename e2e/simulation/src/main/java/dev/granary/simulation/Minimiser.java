package dev.granary.simulation;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.function.Predicate;

/**
 * Finds a small set of faults that suffices for a violation, with delta debugging (Zeller and Hildebrandt, "Simplifying
 * and isolating failure-inducing input", 2002, algorithm ddmin) over the faults of a schedule. Each try runs the same
 * seed with some of them. The result is 1-minimal, that is, no single fault can be left out, unless the limit of tries
 * was reached.
 */
public final class Minimiser {

    private final Predicate<List<Fault>> fails;
    private int triesLeft;

    private Minimiser(Predicate<List<Fault>> fails, int triesLeft) {
        this.fails = fails;
        this.triesLeft = triesLeft;
    }

    /**
     * Returns the faults that are left of a run that ended with a violation.
     *
     * @param plan of that run
     * @param failed its result
     * @param mostTries the most runs
     */
    public static List<Fault> minimise(SeedPlan plan, SeedResult failed, int mostTries) {
        return minimise(failed.faults(), mostTries, faults -> SeedRun.run(plan.withOnly(
                        new HashSet<>(faults.stream().map(Fault::id).toList())))
                .violation()
                .isPresent());
    }

    static List<Fault> minimise(List<Fault> faults, int mostTries, Predicate<List<Fault>> fails) {
        Minimiser minimiser = new Minimiser(fails, mostTries);
        return minimiser.fails(List.of()) ? List.of() : minimiser.reduce(faults);
    }

    private List<Fault> reduce(List<Fault> all) {
        List<Fault> faults = all;
        int parts = 2;
        while (faults.size() > 1 && triesLeft > 0) {
            List<Fault> smaller = findSmaller(faults, parts);
            if (smaller.size() < faults.size()) {
                faults = smaller;
                parts = Math.max(2, parts - 1);
            } else if (parts < faults.size()) {
                parts = Math.min(faults.size(), 2 * parts);
            } else {
                return faults;
            }
        }
        return faults;
    }

    /** Leaves out one of {@code parts} parts of the faults. Returns the same list if no part can be left out. */
    private List<Fault> findSmaller(List<Fault> faults, int parts) {
        for (int part = 0; part < parts; part++) {
            int from = part * faults.size() / parts;
            int to = (part + 1) * faults.size() / parts;
            List<Fault> rest = new ArrayList<>(faults.subList(0, from));
            rest.addAll(faults.subList(to, faults.size()));
            if (to > from && fails(rest)) {
                return rest;
            }
        }
        return faults;
    }

    private boolean fails(List<Fault> faults) {
        if (triesLeft == 0) {
            return false;
        }
        triesLeft--;
        return fails.test(faults);
    }
}
