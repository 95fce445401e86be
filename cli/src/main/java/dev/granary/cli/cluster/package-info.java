/** A cluster on this machine: super-peers and storage peers as processes of their own, under one directory. */
@NullMarked
package dev.granary.cli.cluster;

import org.jspecify.annotations.NullMarked;
