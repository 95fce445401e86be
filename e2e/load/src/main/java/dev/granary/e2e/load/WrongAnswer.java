package dev.granary.e2e.load;

/** Says that a cluster has given an impossible answer. */
final class WrongAnswer extends RuntimeException {

    private static final long serialVersionUID = 1;

    WrongAnswer(String message) {
        super(message);
    }
}
