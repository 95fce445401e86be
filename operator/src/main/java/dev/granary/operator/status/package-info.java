/** Pure functions from the observation of a cluster to the resource's status and events. */
@NullMarked
package dev.granary.operator.status;

import org.jspecify.annotations.NullMarked;
