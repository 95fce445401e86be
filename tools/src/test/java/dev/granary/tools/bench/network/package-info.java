@NullMarked
package dev.granary.tools.bench.network;

import org.jspecify.annotations.NullMarked;
