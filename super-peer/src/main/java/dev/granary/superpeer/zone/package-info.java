/** Backup zones: their members, and the recovery of those whose owner ended (ADR 0104). */
@NullMarked
package dev.granary.superpeer.zone;

import org.jspecify.annotations.NullMarked;
