/** Tests. */
@NullMarked
package dev.granary.operator.status;

import org.jspecify.annotations.NullMarked;
