/**
 * Pure builders of the Kubernetes objects of a cluster, one class for each object. The same plan always gives the same
 * object.
 */
@NullMarked
package dev.granary.operator.build;

import org.jspecify.annotations.NullMarked;
