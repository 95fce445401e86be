/** The latch of a page and the lock of a stripe: words in memory, not Java monitors. */
@NullMarked
package dev.granary.memory.lock;

import org.jspecify.annotations.NullMarked;
