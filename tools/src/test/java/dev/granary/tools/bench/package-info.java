@NullMarked
package dev.granary.tools.bench;

import org.jspecify.annotations.NullMarked;
