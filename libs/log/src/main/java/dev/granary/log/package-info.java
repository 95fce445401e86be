/**
 * Logs on a {@link dev.granary.env.Disk}. Damage is found and said: a torn tail is cut and reported, anything else
 * stops the opening. The bytes are described in {@code docs/formats/command-log.md}.
 */
@NullMarked
package dev.granary.log;

import org.jspecify.annotations.NullMarked;
