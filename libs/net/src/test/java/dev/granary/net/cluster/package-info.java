/** Tests of the package with the same name. */
@NullMarked
package dev.granary.net.cluster;

import org.jspecify.annotations.NullMarked;
