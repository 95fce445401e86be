/** What a door tells clients of planned maintenance, as pushes of RESP3. */
@NullMarked
package dev.granary.storage.door.notice;

import org.jspecify.annotations.NullMarked;
