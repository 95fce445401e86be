/** What a seed chooses for its processes and clients: sizes and times, allocations that fail, habits of clients. */
@NullMarked
package dev.granary.simulation.conditions;

import org.jspecify.annotations.NullMarked;
