package dev.granary.process;

/** A process has too little memory for what it must be able to hold. The message says what to change. */
public final class MemoryPlanException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    MemoryPlanException(String message) {
        super(message);
    }
}
