/** Plans clusters with pure functions of the resource and of what exists. Nothing here talks to an API server. */
@NullMarked
package dev.granary.operator.plan;

import org.jspecify.annotations.NullMarked;
