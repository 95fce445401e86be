/** Measures clients over the network beside each other, each in a process of its own. */
@NullMarked
package dev.granary.tools.bench.network;

import org.jspecify.annotations.NullMarked;
