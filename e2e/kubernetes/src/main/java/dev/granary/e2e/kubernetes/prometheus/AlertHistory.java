package dev.granary.e2e.kubernetes.prometheus;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Which alerts fired when, as one Prometheus showed them. Thread-safe. */
public final class AlertHistory {

    /**
     * An alert that fires.
     *
     * @param alert its name
     * @param labels what tells it from others of the same name
     */
    public record Firing(String alert, Map<String, String> labels) {

        /** Whether it is about a resource; every alert is about the empty name. */
        public boolean isAbout(String resource) {
            return resource.isEmpty() || resource.equals(labels.get("granary")) || resource.equals(labels.get("name"));
        }
    }

    private record Look(Instant at, Set<Firing> firing) {}

    @GuardedBy("this")
    private final List<Look> looks = new ArrayList<>();

    /** Notes what fires from now on. Looks come in the order of time. */
    public synchronized void observe(Instant at, Set<Firing> firing) {
        if (looks.isEmpty() || !looks.getLast().firing().equals(firing)) {
            looks.add(new Look(at, Set.copyOf(firing)));
        }
    }

    /** Returns when an alert about a resource fired first, at this moment or later. */
    public Optional<Instant> firedFrom(String alert, String about, Instant from) {
        return first(from, firing -> matches(firing, alert, about));
    }

    /** Returns when an alert about a resource did not fire any more, at this moment or later. */
    public Optional<Instant> goneFrom(String alert, String about, Instant from) {
        return first(from, firing -> !matches(firing, alert, about));
    }

    /** Returns what fires now. */
    public synchronized Set<Firing> now() {
        return looks.isEmpty() ? Set.of() : looks.getLast().firing();
    }

    private synchronized Optional<Instant> first(Instant from, Predicate<Set<Firing>> condition) {
        for (int i = 0; i < looks.size(); i++) {
            boolean isOver = i + 1 < looks.size() && !looks.get(i + 1).at().isAfter(from);
            if (!isOver && condition.test(looks.get(i).firing())) {
                Instant at = looks.get(i).at();
                return Optional.of(at.isBefore(from) ? from : at);
            }
        }
        return Optional.empty();
    }

    private static boolean matches(Set<Firing> firing, String alert, String about) {
        return firing.stream().anyMatch(one -> one.alert().equals(alert) && one.isAbout(about));
    }

    /** Returns what is not about any of these resources. */
    public static Set<Firing> without(Set<Firing> firing, Set<String> resources) {
        return firing.stream()
                .filter(one -> resources.stream().noneMatch(one::isAbout))
                .collect(Collectors.toSet());
    }
}
