/** Locks on chunks: leases with fencing tokens (ADR 0097). */
@NullMarked
package dev.granary.superpeer.lock;

import org.jspecify.annotations.NullMarked;
