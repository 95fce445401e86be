/** The code that acts: reads what exists, applies what should be, writes status and events. */
@NullMarked
package dev.granary.operator.reconcile;

import org.jspecify.annotations.NullMarked;
