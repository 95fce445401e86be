/** Tests of the package with the same name. */
@NullMarked
package dev.granary.net.message;

import org.jspecify.annotations.NullMarked;
