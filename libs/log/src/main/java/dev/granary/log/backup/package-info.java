/**
 * Backup logs: what a storage peer keeps of the chunks that others own. Every change of a zone comes as a {@linkplain
 * dev.granary.log.batch.BatchWriter batch}, which is the same bytes on the wire and on the disk; a {@linkplain
 * dev.granary.log.backup.BackupLog log} takes batches of thousands of zones, keeps its space bounded and gives a zone's
 * newest chunks back when its owner is gone. The bytes are described in {@code docs/formats/backup-log.md},
 * the decisions in ADR 0098 to 0102.
 */
@NullMarked
package dev.granary.log.backup;

import org.jspecify.annotations.NullMarked;
