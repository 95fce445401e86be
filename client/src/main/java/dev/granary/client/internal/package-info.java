/**
 * The implementation of the client: its knowledge of the cluster, batches by owner, retries. Applications do not use
 * it, and the module does not export it.
 */
@NullMarked
package dev.granary.client.internal;

import org.jspecify.annotations.NullMarked;
