/**
 * The Redis protocol (docs/formats/resp.md): requests from bytes, replies into bytes. Nothing here knows of Granary, of
 * sockets or of threads.
 */
@NullMarked
package dev.granary.resp;

import org.jspecify.annotations.NullMarked;
