/**
 * Measures the operator in its own process against a real API server and etcd. The benchmark plays the pods: it gives
 * the answers of a StatefulSet's controller, a kubelet and a super-peer.
 */
@NullMarked
package dev.granary.tools.bench.operator;

import org.jspecify.annotations.NullMarked;
