/**
 * The benchmarks as commands: options, the processes that measure, tables and JSON lines. The measurements themselves
 * are in {@code bench}.
 */
@NullMarked
package dev.granary.tools.bench;

import org.jspecify.annotations.NullMarked;
