/**
 * What every Granary process has besides its own work: logging, an HTTP port, metrics, a durable identity, an entry
 * point that stops cleanly. Configuration is in {@link dev.granary.process.config}.
 */
@NullMarked
package dev.granary.process;

import org.jspecify.annotations.NullMarked;
