/** The off-heap map: binary keys to binary values in hash-addressed groups (ADR 0013). */
@NullMarked
package dev.granary.memory.map;

import org.jspecify.annotations.NullMarked;
