/** Tests of the parts of the data path. */
@NullMarked
package dev.granary.storage.data;

import org.jspecify.annotations.NullMarked;
