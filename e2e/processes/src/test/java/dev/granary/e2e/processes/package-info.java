/** Tests with real processes on this machine; nothing in them is simulated. */
@NullMarked
package dev.granary.e2e.processes;

import org.jspecify.annotations.NullMarked;
