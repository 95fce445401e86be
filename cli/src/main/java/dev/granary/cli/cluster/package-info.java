/** A cluster on this machine: one process for each super-peer and storage peer, under one directory. */
@NullMarked
package dev.granary.cli.cluster;

import org.jspecify.annotations.NullMarked;
