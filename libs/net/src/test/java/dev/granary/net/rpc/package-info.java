/** Tests of the package with the same name. */
@NullMarked
package dev.granary.net.rpc;

import org.jspecify.annotations.NullMarked;
