/** Who may send what: roles, and what the caller of a connection has said or proved about itself (ADR 0324). */
@NullMarked
package dev.granary.net.access;

import org.jspecify.annotations.NullMarked;
