/**
 * How clients and nodes find the super-peer that answers, among those that may. All clients and nodes use this package
 * for that (ADR 0224).
 */
@NullMarked
package dev.granary.net.cluster;

import org.jspecify.annotations.NullMarked;
