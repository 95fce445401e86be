/** Compares stores over the network: starts their servers and clients, and has the clients measure in turn. */
@NullMarked
package dev.granary.tools.bench.compare;

import org.jspecify.annotations.NullMarked;
