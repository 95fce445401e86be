/**
 * The command that runs whole clusters on virtual time: options, progress and figures. The simulator is in
 * {@code e2e/simulation}.
 */
@NullMarked
package dev.granary.tools.simulate;

import org.jspecify.annotations.NullMarked;
