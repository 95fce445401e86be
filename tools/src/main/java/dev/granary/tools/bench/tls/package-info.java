/** What TLS costs: the same work beside a cluster with it and one without. */
@NullMarked
package dev.granary.tools.bench.tls;

import org.jspecify.annotations.NullMarked;
