/** Tests against a real API server and etcd, without kubelets and without controllers. */
@NullMarked
package dev.granary.operator.apiserver;

import org.jspecify.annotations.NullMarked;
