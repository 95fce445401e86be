package dev.granary.process;

import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.CounterMetricFamily;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/**
 * A counter for each constant of an enum, whose name in small letters is the value of a label. Adding allocates
 * nothing. Thread-safe.
 */
public final class EnumCounters<E extends Enum<E>> {

    private final Map<E, LongAdder> counters;

    /** Makes counters that begin at 0. */
    public EnumCounters(Class<E> type) {
        counters = new EnumMap<>(type);
        for (E value : type.getEnumConstants()) {
            counters.put(value, new LongAdder());
        }
    }

    /** Makes counters and registers them under one name. */
    public static <E extends Enum<E>> EnumCounters<E> register(
            CollectorRegistry registry, String name, String help, String label, Class<E> type) {
        EnumCounters<E> made = new EnumCounters<>(type);
        Metrics.register(registry, () -> {
            CounterMetricFamily family = new CounterMetricFamily(name, help, List.of(label));
            made.addTo(family);
            return family;
        });
        return made;
    }

    /** Adds to the counter of a constant. */
    public void add(E value, long count) {
        Objects.requireNonNull(counters.get(value)).add(count);
    }

    /**
     * Adds all counters to what a scrape shows.
     *
     * @param labels the values of the family's labels before that of these counters
     */
    public void addTo(CounterMetricFamily family, String... labels) {
        counters.forEach((value, counter) -> {
            List<String> all = new ArrayList<>(List.of(labels));
            all.add(labelOf(value));
            family.addMetric(all, (double) counter.sum());
        });
    }

    /** Returns a constant as a value of a label. */
    public static String labelOf(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
