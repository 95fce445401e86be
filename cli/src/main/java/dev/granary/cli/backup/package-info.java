/**
 * Backups of a whole cluster: read chunk by chunk into files, and laid down in a new cluster (docs/formats/backup.md).
 */
@org.jspecify.annotations.NullMarked
package dev.granary.cli.backup;
