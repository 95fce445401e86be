/** What the tests call programs with, read their output with, and check it with. */
@NullMarked
package dev.granary.e2e.kubernetes.program;

import org.jspecify.annotations.NullMarked;
