/** Tests of keys on the command line. */
@NullMarked
package dev.granary.cli.keys;

import org.jspecify.annotations.NullMarked;
