package dev.granary.bench.redis;

/** A store answered what cannot be true. Its figures are worth nothing. */
public final class WrongAnswerException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    WrongAnswerException(String message) {
        super(message);
    }
}
