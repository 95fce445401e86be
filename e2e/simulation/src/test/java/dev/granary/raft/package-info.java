@NullMarked
package dev.granary.raft;

import org.jspecify.annotations.NullMarked;
