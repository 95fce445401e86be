/** Names, and their copies on storage peers (ADR 0096, ADR 0150). */
@NullMarked
package dev.granary.superpeer.name;

import org.jspecify.annotations.NullMarked;
