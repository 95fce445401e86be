/** What a super-peer knows of the storage peers of all arcs, and their load. */
@NullMarked
package dev.granary.superpeer.peer;

import org.jspecify.annotations.NullMarked;
