/**
 * Replication by the owner: all members of a zone hold a change before the owner acknowledges it (SAFETY rules
 * "acknowledgement", "fencing at the backups" and "reads"; ADR 0105).
 *
 * <p>A change is applied to memory and put into the zone's order under the zone's lock, on the I/O thread that brought
 * it. {@link dev.granary.storage.replicate.ReplicationStream}s send the zones' changes to the members. The replies are
 * held until all members have the changes. Tasks of the node's scheduler handle failures.
 *
 * <p>Threads (ADR 0189): zones, their copies and pending batches, streams and held answers are shared by I/O threads
 * and the scheduler, under the lock of the zone; nobody who holds it takes that of another zone. {@code OwnedZones} is
 * read by any thread and changed by tasks of the scheduler; {@code MemberChanges}, {@code CopyFill} and
 * {@code PeerAddresses} are used by these alone, which they assert.
 */
@NullMarked
package dev.granary.storage.replicate;

import org.jspecify.annotations.NullMarked;
