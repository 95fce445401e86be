@NullMarked
package dev.granary.cli.bench.operator;

import org.jspecify.annotations.NullMarked;
