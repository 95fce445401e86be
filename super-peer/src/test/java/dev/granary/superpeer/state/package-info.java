@NullMarked
package dev.granary.superpeer.state;

import org.jspecify.annotations.NullMarked;
