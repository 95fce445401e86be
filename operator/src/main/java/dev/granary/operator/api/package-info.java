/**
 * The Granary resource, {@code granary.dev/v1alpha1}, as Java. The CustomResourceDefinition in {@code crds/} is
 * generated from these records; a field's description there is its documentation. Records are shapes only: what a
 * missing value means is decided in {@link dev.granary.operator.plan}.
 */
@NullMarked
package dev.granary.operator.api;

import org.jspecify.annotations.NullMarked;
