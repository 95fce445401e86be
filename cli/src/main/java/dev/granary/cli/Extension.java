package dev.granary.cli;

import java.util.List;

/**
 * Commands of another jar. {@link GranaryCommand} adds the commands that a {@link java.util.ServiceLoader} finds on its
 * class path to its own.
 */
public interface Extension {

    /** Classes of commands, in the order in which the help shows them. */
    List<Class<?>> commands();

    /** Lines that the footer of {@code granary}'s help shows before its own lines. */
    List<String> hints();
}
