/** Which keys of this peer are asked for most, as {@code HOTKEYS} tells it (ADR 0316). */
@NullMarked
package dev.granary.storage.keyed.hot;

import org.jspecify.annotations.NullMarked;
