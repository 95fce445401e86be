/**
 * Backups, their restoration, and their repetition:
 * each is a Job that runs the command line beside the cluster (ADR 0141).
 */
@NullMarked
package dev.granary.operator.backup;

import org.jspecify.annotations.NullMarked;
