/** Tests of the package with the same name. */
@NullMarked
package dev.granary.net.tls;

import org.jspecify.annotations.NullMarked;
