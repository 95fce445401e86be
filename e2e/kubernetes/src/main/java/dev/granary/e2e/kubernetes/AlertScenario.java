package dev.granary.e2e.kubernetes;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Faults that are made one after the other, each with the alerts that are for it. At the end the cluster is as before.
 *
 * @param name what happens, as a sentence
 * @param order how the faults follow each other
 * @param faults at least one
 */
record AlertScenario(String name, Order order, List<Fault> faults) {

    /** The resource that most faults are about. */
    static final String CLUSTER = "social";

    /** How long an alert may take to fire. */
    private static final Duration WITHIN = Duration.ofMinutes(3);

    /** How faults follow each other. */
    enum Order {
        /** Each ends before the next one begins. */
        IN_TURN,
        /** Each begins while those before it last, and ends before them. */
        NESTED,
        /** In turn; the first one begins before all other scenarios and lasts beside them, because it takes long. */
        BESIDE_THE_OTHERS
    }

    /** A step of a fault. */
    @FunctionalInterface
    interface Deed {
        void run() throws Exception;
    }

    /**
     * Something that is done to a cluster and taken back.
     *
     * @param what it is, for the table
     * @param about the name of the resource that its alerts are about; empty for alerts that are about none
     * @param within how long its alerts may take to fire
     * @param alerts the alerts that are for it
     * @param begin begins it
     * @param end ends it, whatever of its beginning was done
     */
    record Fault(String what, String about, Duration within, List<String> alerts, Deed begin, Deed end) {

        /** Returns the same about another resource. */
        Fault about(String resource) {
            return new Fault(what, resource, within, alerts, begin, end);
        }

        /** Returns the same with alerts that may take another time. */
        Fault within(Duration time) {
            return new Fault(what, about, time, alerts, begin, end);
        }
    }

    /** Returns a fault of the cluster. */
    static Fault fault(String what, List<String> alerts, Deed begin, Deed end) {
        return new Fault(what, CLUSTER, WITHIN, alerts, begin, end);
    }

    /** Returns a scenario with one fault. */
    static AlertScenario of(String name, Fault fault) {
        return new AlertScenario(name, Order.IN_TURN, List.of(fault));
    }

    /** Returns the alerts that this scenario is for. */
    Set<String> alerts() {
        return faults.stream().flatMap(fault -> fault.alerts().stream()).collect(Collectors.toSet());
    }

    /** Whether it lasts beside the other scenarios. */
    boolean isBesideTheOthers() {
        return order == Order.BESIDE_THE_OTHERS;
    }
}
