/** Planned stops: a storage peer goes to sleep with its memory on its disk, and comes back with it (ADR 0120). */
@NullMarked
package dev.granary.storage.park;

import org.jspecify.annotations.NullMarked;
