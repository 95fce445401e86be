/** The commands that work on clusters and single chunks. */
@NullMarked
package dev.granary.cli.command;

import org.jspecify.annotations.NullMarked;
