/** Who the clients of a door are, what they may do, and what was refused. */
@NullMarked
package dev.granary.storage.door.access;

import org.jspecify.annotations.NullMarked;
