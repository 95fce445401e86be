/** From what is seen to the resource's status and events: pure functions. */
@NullMarked
package dev.granary.operator.status;

import org.jspecify.annotations.NullMarked;
