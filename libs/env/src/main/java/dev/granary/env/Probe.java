package dev.granary.env;

import java.util.Locale;

/**
 * A named situation in the code that runs of the simulator should reach: those that are rare and matter. Each module
 * has an enum of its own, so that all of them are known before anything runs (ADR 0173).
 */
public interface Probe {

    /** The name of the constant. */
    String name();

    /** What has happened when it is hit, in one line. */
    String description();

    /** Says that it has happened. Costs a look at a field where nobody counts. Any thread. */
    default void hit() {
        if (Probes.counting) {
            Probes.count(this);
        }
    }

    /** The same if something is so. */
    default void hitIf(boolean happened) {
        if (happened) {
            hit();
        }
    }

    /** The name for people. */
    default String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
