/** The table of commands, and what Redis's command {@code COMMAND} tells of it. */
@NullMarked
package dev.granary.resp.command;

import org.jspecify.annotations.NullMarked;
