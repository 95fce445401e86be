/**
 * Migration of chunks between storage peers: a storage peer as source and as target (ADR 0093). All control work runs
 * as tasks of the node's scheduler; layouts: {@link dev.granary.net.message.MigrationMessages.MigrationData}.
 */
@NullMarked
package dev.granary.storage.migrate;

import org.jspecify.annotations.NullMarked;
