@NullMarked
package dev.granary.bench.compare.stores;

import org.jspecify.annotations.NullMarked;
