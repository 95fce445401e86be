/** Tests of the command line as a whole. */
@NullMarked
package dev.granary.cli;

import org.jspecify.annotations.NullMarked;
