/** Tests of the backup logs. */
@NullMarked
package dev.granary.log.backup;

import org.jspecify.annotations.NullMarked;
