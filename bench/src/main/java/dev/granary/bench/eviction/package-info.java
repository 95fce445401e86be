/** Which keys a cache should let go: policies beside one another, by their hit ratios. */
@NullMarked
package dev.granary.bench.eviction;

import org.jspecify.annotations.NullMarked;
