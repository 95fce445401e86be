/**
 * Keys on the command line: arguments that are keys or CIDs, files of keys and values, and keys that are copied from a
 * server of the Redis protocol.
 */
@NullMarked
package dev.granary.cli.keys;

import org.jspecify.annotations.NullMarked;
