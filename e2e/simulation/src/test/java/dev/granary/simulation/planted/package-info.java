@NullMarked
package dev.granary.simulation.planted;

import org.jspecify.annotations.NullMarked;
