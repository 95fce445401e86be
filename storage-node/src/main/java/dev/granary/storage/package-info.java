/** The storage peer: owns chunks and serves them while it holds a lease. */
@NullMarked
package dev.granary.storage;

import org.jspecify.annotations.NullMarked;
