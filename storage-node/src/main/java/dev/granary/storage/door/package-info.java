/** The door: the port of a storage peer for clients of Redis. */
@NullMarked
package dev.granary.storage.door;

import org.jspecify.annotations.NullMarked;
