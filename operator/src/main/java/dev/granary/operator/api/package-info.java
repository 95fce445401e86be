/**
 * The Granary resource, {@code granary.dev/v1alpha1}, as Java. The CustomResourceDefinition in {@code crds/} is
 * generated from these records; a field's description there is its documentation. The records only hold values;
 * {@link dev.granary.operator.plan} decides what a missing value means.
 */
@NullMarked
package dev.granary.operator.api;

import org.jspecify.annotations.NullMarked;
