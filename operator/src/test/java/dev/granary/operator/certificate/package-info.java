/** Tests of the CA of a cluster and its certificates. */
@NullMarked
package dev.granary.operator.certificate;

import org.jspecify.annotations.NullMarked;
