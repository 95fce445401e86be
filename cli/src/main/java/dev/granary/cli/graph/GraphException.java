package dev.granary.cli.graph;

import dev.granary.cli.base.UserException;

/** Why something cannot be done with a package graph; its message is for the person who asked. */
public class GraphException extends UserException {

    private static final long serialVersionUID = 1L;

    GraphException(String message) {
        super(message);
    }

    GraphException(String message, Throwable cause) {
        super(message, cause);
    }
}
