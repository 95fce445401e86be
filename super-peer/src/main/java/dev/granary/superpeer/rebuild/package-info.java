/** Rebuilds a lost ring from what storage peers hold (ADR 0127). */
@NullMarked
package dev.granary.superpeer.rebuild;

import org.jspecify.annotations.NullMarked;
