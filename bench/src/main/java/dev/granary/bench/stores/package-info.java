/**
 * What the command that compares stores tells the processes that it has started, and what they answer: one JSON object
 * a line.
 */
@NullMarked
package dev.granary.bench.stores;

import org.jspecify.annotations.NullMarked;
