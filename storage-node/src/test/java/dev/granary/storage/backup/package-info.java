/** Tests of the package with the same name. */
@NullMarked
package dev.granary.storage.backup;

import org.jspecify.annotations.NullMarked;
