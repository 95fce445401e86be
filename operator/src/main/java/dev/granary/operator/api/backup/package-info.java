/** The resources of cluster backups: backups, schedules and restores. */
@NullMarked
package dev.granary.operator.api.backup;

import org.jspecify.annotations.NullMarked;
