@NullMarked
package dev.granary.tools.bench.compare;

import org.jspecify.annotations.NullMarked;
