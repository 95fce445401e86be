/** Tests of the real clock, scheduler and disk. */
@NullMarked
package dev.granary.env;

import org.jspecify.annotations.NullMarked;
