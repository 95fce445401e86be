/** Tests. */
@NullMarked
package dev.granary.operator.observe;

import org.jspecify.annotations.NullMarked;
