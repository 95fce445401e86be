/** The ring: who is on it, how it grows and shrinks, and how a super-peer follows it (ADR 0087, ADR 0089). */
@NullMarked
package dev.granary.superpeer.ring;

import org.jspecify.annotations.NullMarked;
