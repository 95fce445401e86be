/** The stores that a Java program would use instead of chunk memory, each behind the benchmark's interface. */
@NullMarked
package dev.granary.bench.compare;

import org.jspecify.annotations.NullMarked;
