/**
 * How clients and nodes find the super-peer that answers, among those that may:
 * all of them do it in this way (ADR 0224).
 */
@NullMarked
package dev.granary.net.cluster;

import org.jspecify.annotations.NullMarked;
