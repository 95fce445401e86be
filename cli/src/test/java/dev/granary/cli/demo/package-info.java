/** Tests of the demonstration. */
@NullMarked
package dev.granary.cli.demo;

import org.jspecify.annotations.NullMarked;
