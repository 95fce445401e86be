@NullMarked
package dev.granary.e2e.load;

import org.jspecify.annotations.NullMarked;
