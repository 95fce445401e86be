/** Tests of the lease's parts. */
@NullMarked
package dev.granary.storage.lease;

import org.jspecify.annotations.NullMarked;
