/** The demonstration: a local cluster, a real graph in it, questions to it, and what all that cost. */
@NullMarked
package dev.granary.cli.demo;

import org.jspecify.annotations.NullMarked;
