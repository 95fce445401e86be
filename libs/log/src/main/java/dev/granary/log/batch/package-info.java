/**
 * A batch of entries, the atom of backup logs: its bytes, written by owners and kept as they are by backups (ADR
 * 0098).
 */
@NullMarked
package dev.granary.log.batch;

import org.jspecify.annotations.NullMarked;
