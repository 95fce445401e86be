/**
 * The simulator: whole clusters on virtual time in one thread, with networks, disks and clocks that fail on purpose,
 * and histories of what clients saw that are checked afterwards. Equal seeds give equal runs, event by event (SAFETY
 * rule "simulator and disks", ADR 0061).
 */
@NullMarked
package dev.granary.testkit;

import org.jspecify.annotations.NullMarked;
