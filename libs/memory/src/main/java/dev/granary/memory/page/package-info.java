/**
 * Pages of 512 chunks: how entries, groups and typed chunks lie in them, how they are found, filled, read and
 * verified (ADR 0090).
 */
@NullMarked
package dev.granary.memory.page;

import org.jspecify.annotations.NullMarked;
