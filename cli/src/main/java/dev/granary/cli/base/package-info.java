/** What all commands share: errors for people, sizes, JSON and logging. */
@NullMarked
package dev.granary.cli.base;

import org.jspecify.annotations.NullMarked;
