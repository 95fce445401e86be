/**
 * The package graph of a Debian release, an example of data that people can explore: read from the project's snapshot,
 * stored as chunks of a cluster (docs/formats/debian-graph.md), and queried there.
 */
@NullMarked
package dev.granary.cli.graph;

import org.jspecify.annotations.NullMarked;
