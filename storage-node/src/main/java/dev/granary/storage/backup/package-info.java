/**
 * The backup part of a storage peer: it keeps copies of zones that others own in a {@linkplain
 * dev.granary.log.backup.BackupLog log} on its disk, refuses owners of old epochs, and reports what it has (SAFETY
 * rules "acknowledgement", "fencing at the backups" and "versions"; ADR 0107). It needs no lease for that, only the id
 * of its cluster.
 *
 * <p>Changes are taken on the I/O thread that brought them, into memory; everything that must be durable is done by the
 * log's own thread.
 */
@NullMarked
package dev.granary.storage.backup;

import org.jspecify.annotations.NullMarked;
