package dev.granary.cli.kubectl;

/**
 * A finding of the doctor.
 *
 * @param well whether the finding is healthy
 * @param what what the doctor has seen
 * @param advice what to do; empty when the finding is healthy
 */
record Finding(boolean well, String what, String advice) {
    static Finding well(String what) {
        return new Finding(true, what, "");
    }

    static Finding ill(String what, String advice) {
        return new Finding(false, what, advice);
    }
}
