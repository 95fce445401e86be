@NullMarked
package dev.granary.superpeer.lease;

import org.jspecify.annotations.NullMarked;
