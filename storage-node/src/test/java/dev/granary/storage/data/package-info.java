/** Tests of the data path's parts. */
@NullMarked
package dev.granary.storage.data;

import org.jspecify.annotations.NullMarked;
