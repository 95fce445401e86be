package dev.granary.simulation.big;

/** Says that the big simulation has seen what must not be. */
final class BigViolation extends RuntimeException {

    private static final long serialVersionUID = 1;

    BigViolation(String message) {
        super(message);
    }
}
