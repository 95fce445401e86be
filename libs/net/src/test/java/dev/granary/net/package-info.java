/** Tests of frames. */
@NullMarked
package dev.granary.net;

import org.jspecify.annotations.NullMarked;
