/** The bytes of a hash. */
@NullMarked
package dev.granary.keyed.hash;

import org.jspecify.annotations.NullMarked;
