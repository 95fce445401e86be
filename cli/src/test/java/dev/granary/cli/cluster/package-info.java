/** Tests of the processes of a local cluster. */
@NullMarked
package dev.granary.cli.cluster;

import org.jspecify.annotations.NullMarked;
