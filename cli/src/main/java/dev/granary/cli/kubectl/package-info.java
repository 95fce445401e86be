/** The plugin {@code kubectl granary}: a Granary on Kubernetes, seen through kubectl. */
@NullMarked
package dev.granary.cli.kubectl;

import org.jspecify.annotations.NullMarked;
