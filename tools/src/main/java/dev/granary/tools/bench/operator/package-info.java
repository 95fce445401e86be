/**
 * Measures the operator as a process of its own against a real API server and etcd. Pods are played: what a
 * StatefulSet's controller, a kubelet and a super-peer would say is said by the benchmark.
 */
@NullMarked
package dev.granary.tools.bench.operator;

import org.jspecify.annotations.NullMarked;
