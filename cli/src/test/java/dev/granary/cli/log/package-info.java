/** Tests of {@code granary log}. */
@NullMarked
package dev.granary.cli.log;

import org.jspecify.annotations.NullMarked;
