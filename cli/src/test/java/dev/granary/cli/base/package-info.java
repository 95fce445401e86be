/** Tests of what all commands share. */
@NullMarked
package dev.granary.cli.base;

import org.jspecify.annotations.NullMarked;
