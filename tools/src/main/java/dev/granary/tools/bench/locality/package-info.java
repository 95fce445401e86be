/** Measures what it is worth to keep together what is read together. */
@NullMarked
package dev.granary.tools.bench.locality;

import org.jspecify.annotations.NullMarked;
