/** Asks a cluster's super-peers to do something. */
@NullMarked
package dev.granary.operator.control;

import org.jspecify.annotations.NullMarked;
