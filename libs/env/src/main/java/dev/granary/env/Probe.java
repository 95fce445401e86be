package dev.granary.env;

import java.util.Locale;

/**
 * A named situation in the code that runs of the simulator should reach, because it is rare and matters. Each module
 * has an enum of its own, so that all of them are known before anything runs (ADR 0173).
 */
public interface Probe {

    /** The name of the constant. */
    String name();

    /** What has happened when it is hit, in one line. */
    String description();

    /** Says that it has happened. Where nobody counts, this costs one read of a field. Any thread may call it. */
    default void hit() {
        if (Probes.counting) {
            Probes.count(this);
        }
    }

    /** The same if {@code happened}. */
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
