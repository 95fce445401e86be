package dev.granary.e2e.kubernetes;

/**
 * One named step of a case.
 *
 * @param name the step as a sentence about what is seen when it passes
 * @param essential whether the steps after it make no sense when it fails
 * @param body does the work
 */
record Step(String name, boolean essential, Body body) {

    /** The work of a step. */
    @FunctionalInterface
    interface Body {
        /**
         * Does the work; any exception is a failure.
         *
         * @return one line on what was seen, for the report; may be empty
         * @throws StepSkipped when the cluster lacks something that the step needs
         */
        String run() throws Exception;
    }

    /** Returns a step without which the rest is not tried. */
    static Step essential(String name, Body body) {
        return new Step(name, true, body);
    }

    /** Returns a step whose failure does not affect the others. */
    static Step of(String name, Body body) {
        return new Step(name, false, body);
    }

    /** Thrown when the cluster lacks what a step needs; the step has then neither passed nor failed. */
    static final class StepSkipped extends Exception {
        private static final long serialVersionUID = 1L;

        StepSkipped(String why) {
            super(why);
        }
    }
}
