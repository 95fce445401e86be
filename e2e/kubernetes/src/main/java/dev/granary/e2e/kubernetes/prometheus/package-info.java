/** What Prometheus is asked, and which alerts it has shown. */
@NullMarked
package dev.granary.e2e.kubernetes.prometheus;

import org.jspecify.annotations.NullMarked;
