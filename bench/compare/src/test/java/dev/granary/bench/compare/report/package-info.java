@NullMarked
package dev.granary.bench.compare.report;

import org.jspecify.annotations.NullMarked;
