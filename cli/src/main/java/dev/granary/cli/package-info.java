/** The {@code granary} command line: entry point and what all commands share. */
@NullMarked
package dev.granary.cli;

import org.jspecify.annotations.NullMarked;
