@NullMarked
package dev.granary.superpeer;

import org.jspecify.annotations.NullMarked;
