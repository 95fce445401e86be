/**
 * Commands of {@code granary} in a checkout, for people who build, test and measure it. No image has them (ADR 0222).
 */
@NullMarked
package dev.granary.tools;

import org.jspecify.annotations.NullMarked;
