@NullMarked
package dev.granary.simulation.check;

import org.jspecify.annotations.NullMarked;
