/** Tests. */
@NullMarked
package dev.granary.operator.api;

import org.jspecify.annotations.NullMarked;
