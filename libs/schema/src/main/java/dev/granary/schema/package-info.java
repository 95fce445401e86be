/** How records are laid out as bytes: their declarations say it (ADR 0223). */
@NullMarked
package dev.granary.schema;

import org.jspecify.annotations.NullMarked;
