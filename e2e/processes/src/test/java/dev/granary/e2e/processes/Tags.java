package dev.granary.e2e.processes;

/** The tags by which e2e/processes/run chooses tests (ADR 0212). */
final class Tags {

    /** The test measures how long clients wait, or has short leases under load: nothing else may run beside it. */
    static final String ALONE = "alone";

    /** The test runs only in .ci/full: what it would find, other tests of .ci/run find in a shorter form. */
    static final String LONG = "long";

    private Tags() {}
}
