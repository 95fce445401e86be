/** What each of Redis's commands does with keys. */
@NullMarked
package dev.granary.keyed.command;

import org.jspecify.annotations.NullMarked;
