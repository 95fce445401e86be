/** Which storage peers are to keep a zone (ADR 0103). */
@NullMarked
package dev.granary.superpeer.placement;

import org.jspecify.annotations.NullMarked;
