@NullMarked
package dev.granary.bench.memory;

import org.jspecify.annotations.NullMarked;
