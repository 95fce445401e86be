/**
 * Memory from the operating system: address space that is reserved and committed, huge pages, NUMA nodes, and the
 * one area in which everything lies (VMB).
 */
@NullMarked
package dev.granary.memory.os;

import org.jspecify.annotations.NullMarked;
