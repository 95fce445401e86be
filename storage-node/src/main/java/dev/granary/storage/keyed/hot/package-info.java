/** Which keys are asked for most, as {@code HOTKEYS} (ADR 0316) and {@code granary top} (ADR 0357) tell it. */
@NullMarked
package dev.granary.storage.keyed.hot;

import org.jspecify.annotations.NullMarked;
