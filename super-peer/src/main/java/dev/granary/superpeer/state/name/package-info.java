/** The names and locks of an arc. */
@NullMarked
package dev.granary.superpeer.state.name;

import org.jspecify.annotations.NullMarked;
