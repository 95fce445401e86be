/** Commands that a door answers itself: about connections, the server and the cluster. */
@NullMarked
package dev.granary.storage.door.command;

import org.jspecify.annotations.NullMarked;
