/** Tests of the storage peer, on virtual time in one thread, with the real chunk memory and real messages. */
@NullMarked
package dev.granary.storage;

import org.jspecify.annotations.NullMarked;
