package dev.granary.cli.kubectl;

/**
 * Something that the doctor looked at.
 *
 * @param well whether it is as it should be
 * @param what what was looked at, and what was seen
 * @param advice what to do; empty when all is well
 */
record Finding(boolean well, String what, String advice) {
    static Finding well(String what) {
        return new Finding(true, what, "");
    }

    static Finding ill(String what, String advice) {
        return new Finding(false, what, advice);
    }
}
