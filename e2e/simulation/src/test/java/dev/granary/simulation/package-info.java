@NullMarked
package dev.granary.simulation;

import org.jspecify.annotations.NullMarked;
