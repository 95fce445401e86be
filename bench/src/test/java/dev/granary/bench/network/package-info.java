@NullMarked
package dev.granary.bench.network;

import org.jspecify.annotations.NullMarked;
