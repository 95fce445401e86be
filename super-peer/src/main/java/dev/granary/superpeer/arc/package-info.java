/** Arcs: their replicas, the services that their leader runs, and how parts of them pass to another super-peer. */
@NullMarked
package dev.granary.superpeer.arc;

import org.jspecify.annotations.NullMarked;
