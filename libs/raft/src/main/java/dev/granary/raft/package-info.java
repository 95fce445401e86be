/**
 * State machines that are replicated by Raft, behind an interface of our own: {@link dev.granary.raft.RaftGroup}.
 * Our fork of MicroRaft does the work, by its public interface (ADR 0226); clock, scheduler, random numbers, disk and
 * network come from outside (ADR 0085).
 */
@NullMarked
package dev.granary.raft;

import org.jspecify.annotations.NullMarked;
