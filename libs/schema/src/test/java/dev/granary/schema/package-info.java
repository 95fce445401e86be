/** Tests. */
@NullMarked
package dev.granary.schema;

import org.jspecify.annotations.NullMarked;
