@NullMarked
package dev.granary.bench.redis;

import org.jspecify.annotations.NullMarked;
