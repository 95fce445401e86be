@NullMarked
package dev.granary.operator.control;

import org.jspecify.annotations.NullMarked;
