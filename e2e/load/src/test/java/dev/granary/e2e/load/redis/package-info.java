@NullMarked
package dev.granary.e2e.load.redis;

import org.jspecify.annotations.NullMarked;
