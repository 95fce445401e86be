/** Restores of backups: creators whose chunks are laid down again (ADR 0140). */
@NullMarked
package dev.granary.superpeer.restore;

import org.jspecify.annotations.NullMarked;
