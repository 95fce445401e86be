/** Tests of users. */
@NullMarked
package dev.granary.access;

import org.jspecify.annotations.NullMarked;
