/**
 * Recovery of zones whose owner is gone: a member of a zone replays its own copy into its chunk memory and becomes the
 * owner. Each zone is recovered by itself, and many storage peers recover zones at the same time (SAFETY rules "fencing
 * at the backups" and "recovery"; ADR 0107, 0108).
 */
@NullMarked
package dev.granary.storage.recover;

import org.jspecify.annotations.NullMarked;
