/** Tests of parts of the door, by themselves. */
@NullMarked
package dev.granary.storage.door.access;

import org.jspecify.annotations.NullMarked;
