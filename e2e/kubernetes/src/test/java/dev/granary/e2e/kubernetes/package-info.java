/** Tests of the parts of the runner that need no cluster. */
@NullMarked
package dev.granary.e2e.kubernetes;

import org.jspecify.annotations.NullMarked;
