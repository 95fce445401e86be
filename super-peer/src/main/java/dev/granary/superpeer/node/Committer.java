package dev.granary.superpeer.node;

import java.util.concurrent.CompletableFuture;

/**
 * Commits all changes of a replicated state.
 *
 * @param <C> the commands
 * @param <R> the results of commands
 */
public interface Committer<C, R> {

    /**
     * Replicates and applies a command.
     *
     * @return completes with the result as a task of the scheduler; fails with a {@link dev.granary.raft.RaftFailure}
     *     when this super-peer does not lead, or when the outcome of the command is unknown
     */
    CompletableFuture<R> commit(C command);

    /**
     * Asks a majority to confirm that no other super-peer leads: any other leader decides only after the moment of this
     * call. Completes as a task of the scheduler, fails as {@link #commit} does.
     */
    CompletableFuture<Void> confirm();
}
