/** Tests of the view of what is busy. */
@NullMarked
package dev.granary.cli.top;

import org.jspecify.annotations.NullMarked;
