/** Tests of the package with the same name. */
@NullMarked
package dev.granary.storage.replicate;

import org.jspecify.annotations.NullMarked;
