/** What planted bugs need to know about the messages between members of Raft groups. */
@NullMarked
package dev.granary.raft;

import org.jspecify.annotations.NullMarked;
