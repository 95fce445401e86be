/** {@code granary log}: reads the backup logs in a directory. */
@NullMarked
package dev.granary.cli.log;

import org.jspecify.annotations.NullMarked;
