/** What runs of the simulator should reach in this part. */
@NullMarked
package dev.granary.superpeer.probe;

import org.jspecify.annotations.NullMarked;
