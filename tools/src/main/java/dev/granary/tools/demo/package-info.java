/** The demonstration: a local cluster, a real graph in it, questions to it, and what all that cost. */
@NullMarked
package dev.granary.tools.demo;

import org.jspecify.annotations.NullMarked;
