/** Tests of the overlay's data structures. */
@NullMarked
package dev.granary.overlay;

import org.jspecify.annotations.NullMarked;
