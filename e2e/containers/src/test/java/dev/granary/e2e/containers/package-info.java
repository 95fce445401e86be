/** Tests of clusters whose processes each have a container and an address; nothing in them is simulated. */
@NullMarked
package dev.granary.e2e.containers;

import org.jspecify.annotations.NullMarked;
