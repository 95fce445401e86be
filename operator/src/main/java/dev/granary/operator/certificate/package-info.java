/** The CA of a cluster, the certificates that it issues, and how both are changed while clients go on (ADR 0335). */
@NullMarked
package dev.granary.operator.certificate;

import org.jspecify.annotations.NullMarked;
