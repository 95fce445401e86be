/** Tests. */
@NullMarked
package dev.granary.operator.bundle;

import org.jspecify.annotations.NullMarked;
