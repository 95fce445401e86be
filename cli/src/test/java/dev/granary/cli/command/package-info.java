/** Tests of the commands that talk to a cluster. */
@NullMarked
package dev.granary.cli.command;

import org.jspecify.annotations.NullMarked;
