package dev.granary.cli.graph;

import dev.granary.cli.base.UserException;

/** An operation on a package graph failed. The message says why, for the user. */
public class GraphException extends UserException {

    private static final long serialVersionUID = 1L;

    GraphException(String message) {
        super(message);
    }

    GraphException(String message, Throwable cause) {
        super(message, cause);
    }
}
