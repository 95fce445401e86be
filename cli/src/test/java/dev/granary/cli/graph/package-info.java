/** Tests of the package graph. */
@NullMarked
package dev.granary.cli.graph;

import org.jspecify.annotations.NullMarked;
