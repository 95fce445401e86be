@NullMarked
package dev.granary.tools.bench.redis;

import org.jspecify.annotations.NullMarked;
