/** Tests of the package with the same name. */
@NullMarked
package dev.granary.net.access;

import org.jspecify.annotations.NullMarked;
