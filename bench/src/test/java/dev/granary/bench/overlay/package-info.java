@NullMarked
package dev.granary.bench.overlay;

import org.jspecify.annotations.NullMarked;
