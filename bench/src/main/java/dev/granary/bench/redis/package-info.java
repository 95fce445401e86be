/** A driver that puts load on stores which speak the protocol of Redis or that of memcached. */
@NullMarked
package dev.granary.bench.redis;

import org.jspecify.annotations.NullMarked;
