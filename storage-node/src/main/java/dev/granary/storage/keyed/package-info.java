/** Keys: the slot groups that this peer owns, and calls to those of others. */
@NullMarked
package dev.granary.storage.keyed;

import org.jspecify.annotations.NullMarked;
