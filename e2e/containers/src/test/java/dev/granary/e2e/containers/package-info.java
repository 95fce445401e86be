/** Tests of clusters whose processes have a container and an address each: nothing in them is simulated. */
@NullMarked
package dev.granary.e2e.containers;

import org.jspecify.annotations.NullMarked;
