/**
 * Cluster backups: read chunk by chunk into files, and restored into a new cluster (docs/formats/backup.md).
 */
@org.jspecify.annotations.NullMarked
package dev.granary.cli.backup;
