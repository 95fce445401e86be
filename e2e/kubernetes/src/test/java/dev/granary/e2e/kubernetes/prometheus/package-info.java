/** Tests of queries and of the history of alerts. */
@NullMarked
package dev.granary.e2e.kubernetes.prometheus;

import org.jspecify.annotations.NullMarked;
