@NullMarked
package dev.granary.storage.keyed.hot;

import org.jspecify.annotations.NullMarked;
