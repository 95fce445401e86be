/** Moves of ranges between storage peers, and plans of many moves (ADR 0093, ADR 0095). */
@NullMarked
package dev.granary.superpeer.migration;

import org.jspecify.annotations.NullMarked;
