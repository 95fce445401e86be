/** The users of doors: from GranaryUsers to the file that storage peers read (ADR 0337). Pure. */
@NullMarked
package dev.granary.operator.user;

import org.jspecify.annotations.NullMarked;
