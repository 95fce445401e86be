/** The code that acts: it reads what exists, applies what should exist, and writes status and events. */
@NullMarked
package dev.granary.operator.reconcile;

import org.jspecify.annotations.NullMarked;
