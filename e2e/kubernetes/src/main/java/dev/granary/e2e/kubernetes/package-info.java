/** The tests on a real Kubernetes: named steps on whatever cluster the kubeconfig names. */
@NullMarked
package dev.granary.e2e.kubernetes;

import org.jspecify.annotations.NullMarked;
