/**
 * What all services of a super-peer share: its configuration, clock, scheduler and metrics, and calls to other
 * arcs.
 */
@NullMarked
package dev.granary.superpeer.node;

import org.jspecify.annotations.NullMarked;
