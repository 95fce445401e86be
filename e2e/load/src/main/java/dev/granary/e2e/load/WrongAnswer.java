package dev.granary.e2e.load;

/** A cluster has answered what cannot be. */
final class WrongAnswer extends RuntimeException {

    private static final long serialVersionUID = 1;

    WrongAnswer(String message) {
        super(message);
    }
}
