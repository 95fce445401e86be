package dev.granary.bench.compare.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;

/** Rounds by case and store, in the order in which they were measured. Immutable. */
final class Measured {

    /** The store that others are compared with. */
    static final String OURS = "granary";

    /** What all stores were asked for. */
    record Case(String workload, String mode, int batch, int threads, boolean rated) {

        private static Case of(Round round) {
            return new Case(round.workload(), round.mode(), round.batch(), round.threads(), round.isRated());
        }

        /** Its name in tables and plots. */
        String label() {
            String what = batch == 1 ? workload : workload + ", " + Texts.count(batch);
            return rated ? what + ", " + threads + (threads == 1 ? " thread" : " threads") : what;
        }
    }

    /** Median, least and greatest value of rounds. */
    record Spread(double median, double least, double most) {

        private static Spread of(List<Round> rounds, ToDoubleFunction<Round> figure) {
            double[] sorted = rounds.stream().mapToDouble(figure).sorted().toArray();
            int middle = sorted.length / 2;
            double median = sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
            return new Spread(median, sorted[0], sorted[sorted.length - 1]);
        }
    }

    private final Map<Case, Map<String, List<Round>>> rounds = new LinkedHashMap<>();
    private final Set<String> stores = new LinkedHashSet<>();

    Measured(List<Round> all) {
        for (Round round : all) {
            stores.add(round.store());
            rounds.computeIfAbsent(Case.of(round), _ -> new LinkedHashMap<>())
                    .computeIfAbsent(round.store(), _ -> new ArrayList<>())
                    .add(round);
        }
    }

    /** The names of stores. */
    List<String> stores() {
        return List.copyOf(stores);
    }

    /** Cases of one kind. */
    List<Case> cases(Predicate<Round> kind) {
        return rounds.entrySet().stream()
                .filter(each ->
                        kind.test(each.getValue().values().iterator().next().getFirst()))
                .map(Map.Entry::getKey)
                .toList();
    }

    /** A figure of a store in a case; empty when it was not measured. */
    Optional<Spread> spread(Case what, String store, ToDoubleFunction<Round> figure) {
        return Optional.ofNullable(rounds.getOrDefault(what, Map.of()).get(store))
                .map(all -> Spread.of(all, figure));
    }

    /** The rounds of a store in a case; empty when it was not measured. */
    List<Round> rounds(Case what, String store) {
        return List.copyOf(rounds.getOrDefault(what, Map.of()).getOrDefault(store, List.of()));
    }

    /** The median of a figure; NaN when it was not measured. */
    double median(Case what, String store, ToDoubleFunction<Round> figure) {
        return spread(what, store, figure).map(Spread::median).orElse(Double.NaN);
    }

    /** All rounds. */
    List<Round> all() {
        return rounds.values().stream()
                .flatMap(stores -> stores.values().stream())
                .flatMap(List::stream)
                .toList();
    }
}
