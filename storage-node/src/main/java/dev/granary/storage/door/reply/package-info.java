/** Replies of slot groups, taken apart. */
@NullMarked
package dev.granary.storage.door.reply;

import org.jspecify.annotations.NullMarked;
