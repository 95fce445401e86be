@NullMarked
package dev.granary.bench.eviction;

import org.jspecify.annotations.NullMarked;
