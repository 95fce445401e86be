package dev.granary.cli.graph;

import java.util.List;

/** The graph has no package of this name. */
public final class UnknownPackageException extends GraphException {

    private static final long serialVersionUID = 1L;

    UnknownPackageException(String name, List<String> near) {
        super("there is no package '" + name + "' in the graph"
                + (near.isEmpty() ? "" : "; the nearest names are " + String.join(", ", near)));
    }
}
