/** Leases and LIDs of the storage peers of an arc (SAFETY rules "leases" and "incarnations"). */
@NullMarked
package dev.granary.superpeer.lease;

import org.jspecify.annotations.NullMarked;
