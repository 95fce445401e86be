/** Tests. */
@NullMarked
package dev.granary.operator.build;

import org.jspecify.annotations.NullMarked;
