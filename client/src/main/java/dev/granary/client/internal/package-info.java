/**
 * How the client works: what it knows of its cluster, batches by owner, retries. Nothing of it is for applications,
 * and the module does not export it.
 */
@NullMarked
package dev.granary.client.internal;

import org.jspecify.annotations.NullMarked;
