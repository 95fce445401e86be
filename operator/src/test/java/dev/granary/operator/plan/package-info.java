/** Tests. */
@NullMarked
package dev.granary.operator.plan;

import org.jspecify.annotations.NullMarked;
