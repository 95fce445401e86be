/** Tests of logs on disks that tear, flip and forget. */
@NullMarked
package dev.granary.log;

import org.jspecify.annotations.NullMarked;
