@NullMarked
package dev.granary.simulation.big;

import org.jspecify.annotations.NullMarked;
