/** Who clients are, what they may do, and what was refused: of the Redis door and of the binary protocol. */
@NullMarked
package dev.granary.access;

import org.jspecify.annotations.NullMarked;
