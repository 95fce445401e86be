/** {@code granary top}: the busy parts of a cluster, as they are now. */
@NullMarked
package dev.granary.cli.top;

import org.jspecify.annotations.NullMarked;
