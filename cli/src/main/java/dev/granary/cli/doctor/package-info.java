/** {@code granary doctor}: what is wrong with a cluster, and what to do. It asks what the project's alerts ask. */
@NullMarked
package dev.granary.cli.doctor;

import org.jspecify.annotations.NullMarked;
