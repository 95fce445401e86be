/** Tests of the simulator. */
@NullMarked
package dev.granary.testkit;

import org.jspecify.annotations.NullMarked;
