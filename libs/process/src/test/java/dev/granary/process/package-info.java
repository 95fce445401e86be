/** Tests of the common process parts; child JVMs where exit codes and signals count. */
@NullMarked
package dev.granary.process;

import org.jspecify.annotations.NullMarked;
