/** What can be seen of a running cluster: its pods, and what a super-peer says of it. */
@NullMarked
package dev.granary.operator.observe;

import org.jspecify.annotations.NullMarked;
