/** The format of a dump: segments as they are, with checksums ({@code docs/formats/memory-dump.md}). */
@NullMarked
package dev.granary.memory.dump;

import org.jspecify.annotations.NullMarked;
