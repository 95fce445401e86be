@NullMarked
package dev.granary.tools.bench.operator;

import org.jspecify.annotations.NullMarked;
