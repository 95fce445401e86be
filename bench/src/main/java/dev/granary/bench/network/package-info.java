/**
 * Measures a client of a store over the network: threads that wait for each answer, in a process of their own that is
 * told what to do next.
 */
@NullMarked
package dev.granary.bench.network;

import org.jspecify.annotations.NullMarked;
