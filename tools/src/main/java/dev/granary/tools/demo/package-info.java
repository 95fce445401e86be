/** The demonstration: a local cluster, a real graph in it, questions to the graph, and the cost. */
@NullMarked
package dev.granary.tools.demo;

import org.jspecify.annotations.NullMarked;
