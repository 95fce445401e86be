/** Leases as their grantor counts them (SAFETY rule "leases"; ADR 0082). Pure: time is always given from outside. */
@NullMarked
package dev.granary.superpeer.lease;

import org.jspecify.annotations.NullMarked;
