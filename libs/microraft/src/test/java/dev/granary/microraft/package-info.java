/** Tests of what our fork of MicroRaft does in another way; each names the change in libs/microraft/README.md. */
@NullMarked
package dev.granary.microraft;

import org.jspecify.annotations.NullMarked;
