/** Tests of what the system counts for measured processes. */
@NullMarked
package dev.granary.tools.bench.process;

import org.jspecify.annotations.NullMarked;
