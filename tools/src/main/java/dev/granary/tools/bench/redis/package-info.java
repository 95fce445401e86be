/** Measures the door for Redis clients beside other stores. */
@NullMarked
package dev.granary.tools.bench.redis;

import org.jspecify.annotations.NullMarked;
