/**
 * Whole clusters on virtual time as a command: options, progress and figures.
 * The simulator is in {@code e2e/simulation}.
 */
@NullMarked
package dev.granary.tools.simulate;

import org.jspecify.annotations.NullMarked;
