/** Tests of the totals of simulator seeds. */
@NullMarked
package dev.granary.tools.simulate;

import org.jspecify.annotations.NullMarked;
