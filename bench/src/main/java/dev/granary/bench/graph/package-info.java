/** Graphs of objects that refer to others, for benchmarks. Objects are numbers from 0. */
@NullMarked
package dev.granary.bench.graph;

import org.jspecify.annotations.NullMarked;
