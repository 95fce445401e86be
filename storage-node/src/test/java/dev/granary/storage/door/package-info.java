/** Tests of the door, with clients that speak the Redis protocol over TCP. */
@NullMarked
package dev.granary.storage.door;

import org.jspecify.annotations.NullMarked;
