/** Tests of the package with the same name. */
@NullMarked
package dev.granary.storage.recover;

import org.jspecify.annotations.NullMarked;
