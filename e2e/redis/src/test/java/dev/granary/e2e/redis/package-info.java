/**
 * Clients of Redis for Java, with their default settings, against a server that {@code e2e/redis/run} has started. Each
 * client has a class of tests for a server that it takes for a single one, and one for a cluster.
 */
@NullMarked
package dev.granary.e2e.redis;

import org.jspecify.annotations.NullMarked;
