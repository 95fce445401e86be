/** Keys and values: what commands read and change, whoever keeps it. */
@NullMarked
package dev.granary.keyed;

import org.jspecify.annotations.NullMarked;
