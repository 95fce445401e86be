/** Commands on keys: which slot groups have them, and how parts are put together. */
@NullMarked
package dev.granary.storage.door.keys;

import org.jspecify.annotations.NullMarked;
