@NullMarked
package dev.granary.cli.bench;

import org.jspecify.annotations.NullMarked;
