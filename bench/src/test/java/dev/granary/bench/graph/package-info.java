/** Tests of graphs for benchmarks. */
@NullMarked
package dev.granary.bench.graph;

import org.jspecify.annotations.NullMarked;
