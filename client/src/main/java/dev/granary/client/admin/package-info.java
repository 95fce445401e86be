/** Administers clusters: the ring, moves of chunks, planned stops, backups and their restoration. */
@NullMarked
package dev.granary.client.admin;

import org.jspecify.annotations.NullMarked;
