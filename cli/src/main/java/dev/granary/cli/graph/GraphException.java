package dev.granary.cli.graph;

/** Why something cannot be done with a package graph; its message is for the person who asked. */
public class GraphException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    GraphException(String message) {
        super(message);
    }

    GraphException(String message, Throwable cause) {
        super(message, cause);
    }
}
