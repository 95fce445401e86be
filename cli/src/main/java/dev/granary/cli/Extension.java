package dev.granary.cli;

import java.util.List;

/**
 * Commands of another jar. {@link GranaryCommand} has those that a {@link java.util.ServiceLoader} finds on its class
 * path beside its own.
 */
public interface Extension {

    /** Classes of commands, in the order in which the help shows them. */
    List<Class<?>> commands();

    /** Lines that the help of {@code granary} ends with, before its own. */
    List<String> hints();
}
