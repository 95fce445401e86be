/**
 * Replication by the owner: what changes in a zone is held by all its members before anybody is told (SAFETY rules
 * "acknowledgement", "fencing at the backups" and "reads"; ADR 0105).
 *
 * <p>A change is applied to memory and put into the zone's order under the zone's lock, on the I/O thread that brought it;
 * {@link dev.granary.storage.replicate.ReplicationStream}s take the zones' changes to the members; the answers are held
 * until all members have them. What goes wrong is dealt with by tasks of the node's scheduler.
 */
@NullMarked
package dev.granary.storage.replicate;

import org.jspecify.annotations.NullMarked;
