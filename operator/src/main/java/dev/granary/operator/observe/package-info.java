/** Observes a running cluster: its pods, and the status that a super-peer reports. */
@NullMarked
package dev.granary.operator.observe;

import org.jspecify.annotations.NullMarked;
