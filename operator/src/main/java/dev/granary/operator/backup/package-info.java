/**
 * Cluster backups, restores, and schedules of backups. Each is a Job that runs the command line beside the cluster
 * (ADR 0141).
 */
@NullMarked
package dev.granary.operator.backup;

import org.jspecify.annotations.NullMarked;
