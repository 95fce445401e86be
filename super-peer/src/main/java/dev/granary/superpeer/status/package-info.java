/** The status of the cluster as JSON ({@code docs/formats/status.md}). */
@NullMarked
package dev.granary.superpeer.status;

import org.jspecify.annotations.NullMarked;
