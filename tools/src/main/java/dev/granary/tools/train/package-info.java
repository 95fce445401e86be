/** Makes the AOT caches of a distribution: records what the servers of a small cluster load and run. */
@NullMarked
package dev.granary.tools.train;

import org.jspecify.annotations.NullMarked;
