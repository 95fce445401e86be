/**
 * Clients and servers of the stores that {@code granary bench compare} measures, and the loops with which it does. All
 * stores have the same objects: a value of bytes for a number of 64 bits.
 */
@NullMarked
package dev.granary.bench.compare.stores;

import org.jspecify.annotations.NullMarked;
