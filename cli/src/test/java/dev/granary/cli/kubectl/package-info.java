/** Tests of the kubectl plugin. */
@NullMarked
package dev.granary.cli.kubectl;

import org.jspecify.annotations.NullMarked;
