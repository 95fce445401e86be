/** What well-behaved clients get beside hostile ones. */
@NullMarked
package dev.granary.tools.bench.hostile;

import org.jspecify.annotations.NullMarked;
