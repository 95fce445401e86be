/** Real clients at work on a real cluster, which remember what was acknowledged and check every answer. */
@NullMarked
package dev.granary.e2e.load;

import org.jspecify.annotations.NullMarked;
