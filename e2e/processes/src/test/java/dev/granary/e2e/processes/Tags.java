package dev.granary.e2e.processes;

/** What e2e/processes/run chooses tests by (ADR 0212). */
final class Tags {

    /** It measures how long clients wait, or has leases of few seconds under load: nothing else may run beside it. */
    static final String ALONE = "alone";

    /** It runs in .ci/full only: what it would find, other tests of .ci/run find in a shorter form. */
    static final String LONG = "long";

    private Tags() {}
}
