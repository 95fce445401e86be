/**
 * How a storage peer belongs to its cluster: NID, lease, reserved LIDs. All control work runs as tasks of the node's
 * scheduler (ADR 0072).
 */
@NullMarked
package dev.granary.storage.lease;

import org.jspecify.annotations.NullMarked;
