/**
 * The package graph of a Debian release, as data that anyone can look at: read from the snapshot the project carries,
 * kept as chunks of a cluster (docs/formats/debian-graph.md), and asked questions there.
 */
@NullMarked
package dev.granary.cli.graph;

import org.jspecify.annotations.NullMarked;
