/**
 * Commands of {@code granary} in a checkout, for those who build, test and measure it; no image has them (ADR 0222).
 */
@NullMarked
package dev.granary.tools;

import org.jspecify.annotations.NullMarked;
