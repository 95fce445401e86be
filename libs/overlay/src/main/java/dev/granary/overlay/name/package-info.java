/** Names in a Patricia trie (ADR 0027). */
@NullMarked
package dev.granary.overlay.name;

import org.jspecify.annotations.NullMarked;
