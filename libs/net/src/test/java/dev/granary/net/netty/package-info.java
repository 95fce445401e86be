/** Tests of the package with the same name. */
@NullMarked
package dev.granary.net.netty;

import org.jspecify.annotations.NullMarked;
