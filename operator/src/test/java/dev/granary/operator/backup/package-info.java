@NullMarked
package dev.granary.operator.backup;

import org.jspecify.annotations.NullMarked;
