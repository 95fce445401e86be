/** Tests of the demonstration. */
@NullMarked
package dev.granary.tools.demo;

import org.jspecify.annotations.NullMarked;
