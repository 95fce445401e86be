/** Tests of what seeds of the simulator come to. */
@NullMarked
package dev.granary.tools.simulate;

import org.jspecify.annotations.NullMarked;
