/** Administers clusters: the ring, moves of chunks, planned stops, cluster backups and restores. */
@NullMarked
package dev.granary.client.admin;

import org.jspecify.annotations.NullMarked;
