/** What the connections of a door have in common, and what is known of each. */
@NullMarked
package dev.granary.storage.door.state;

import org.jspecify.annotations.NullMarked;
