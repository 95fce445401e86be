/** Access control as Redis 7 has it: users, what they may do, and the rules and files that say so. */
@NullMarked
package dev.granary.resp.acl;

import org.jspecify.annotations.NullMarked;
