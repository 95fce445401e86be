/** The state of the ring. */
@NullMarked
package dev.granary.superpeer.state.ring;

import org.jspecify.annotations.NullMarked;
