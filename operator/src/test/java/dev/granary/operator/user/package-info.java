@NullMarked
package dev.granary.operator.user;

import org.jspecify.annotations.NullMarked;
