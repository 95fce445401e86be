@NullMarked
package dev.granary.bench.stores;

import org.jspecify.annotations.NullMarked;
