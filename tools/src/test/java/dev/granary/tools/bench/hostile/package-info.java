/** Tests of hostile clients. */
@NullMarked
package dev.granary.tools.bench.hostile;

import org.jspecify.annotations.NullMarked;
