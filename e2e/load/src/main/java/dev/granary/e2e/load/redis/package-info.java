/** Clients of the Redis protocol at work on a real cluster, which check every answer. They use sockets alone. */
@NullMarked
package dev.granary.e2e.load.redis;

import org.jspecify.annotations.NullMarked;
